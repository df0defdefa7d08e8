// Looking ahead: how often a plan that only decodes may be carried out before the next step would
// be planned otherwise, and what those further steps take. Everything here says "no" when in doubt:
// then the next step is planned anew, which is always right.
#include <algorithm>

#include "base/check.h"
#include "sched/scheduler.h"

namespace brigada {

void Scheduler::look_ahead(Plan& plan, uint32_t max_steps) {
    if (max_steps <= 1 || !only_decodes(plan) || !none_can_begin()) return;
    uint32_t further = max_steps - 1;
    for (const Chunk& chunk : plan.chunks)
        further = std::min(further, steps_alone(chunk) - 1);
    uint32_t fits = 0;  // by bisection: the blocks taken grow with the steps
    while (fits < further) {
        const uint32_t middle = fits + (further - fits + 1) / 2;
        if (blocks_to_carry_on(plan, middle) <= kv_.available_blocks())
            fits = middle;
        else
            further = middle - 1;
    }
    plan.steps = 1 + further;
    for (const Sequence* waiting : waiting_)
        if (!waiting->begun) plan.until = std::min(plan.until, waiting->spec.deadline);
    const bool evicts = blocks_to_carry_on(plan, further) > kv_.free_blocks();
    if (evicts) plan.until = std::min(plan.until, kv_.next_lapse());
}

bool Scheduler::only_decodes(const Plan& plan) const {
    if (plan.empty() || plan.chunks.size() != running_.size() || !plan.copies.empty() ||
        !plan.preempted.empty() || !plan.expired.empty())
        return false;
    return std::ranges::all_of(running_, [](const Sequence* s) {
        return s->planned == 1 && s->known() - s->computed == 1 && s->known() > s->prompt_tokens;
    });
}

// Whatever the order in which those that wait are asked, now or while the others decode on: each is
// without a slot or without room. Room only shrinks; a prefix that a running sequence writes may
// save a waiting one as many blocks as it takes, and the block that it has begun.
bool Scheduler::none_can_begin() {
    if (waiting_.empty()) return true;
    const uint32_t siblings = running_siblings();
    if (siblings == config_.max_running)
        return std::ranges::all_of(waiting_, [](auto* s) { return s->leader_tokens == 0; });
    if (kv_.block_tokens() == 1) return false;  // even one that decodes could lead then
    for (Sequence* waiting : waiting_) {
        if (waiting->leader_tokens > 0) return false;
        if (siblings + waiting->siblings() > config_.max_running) continue;
        const uint32_t cached = kv_.lookup(waiting->tokens, waiting->spec.scope, waiting->cursor);
        if (fits(*waiting, cached + kv_.block_tokens(), 0)) return false;
    }
    return true;
}

// Until its last token, until its KV could meet that of another, and until a hint counts from the
// step in which something is computed.
uint32_t Scheduler::steps_alone(const Chunk& chunk) const {
    const Sequence& sequence = sequences_.at(chunk.sequence);
    const auto is_hinted = [&](const RetentionRange& range) {
        return range.last > sequence.known();
    };
    if (std::ranges::any_of(sequence.spec.retention.ranges, is_hinted)) return 1;
    const uint32_t left = sequence.max_tokens - sequence.known();
    return std::clamp(kv_.tokens_alone(chunk.sequence), 1u, left);
}

uint64_t Scheduler::blocks_to_carry_on(const Plan& plan, uint32_t further) const {
    uint64_t blocks = 0;
    for (const Chunk& chunk : plan.chunks) {
        const uint32_t covered = chunk.first + 1;
        blocks += kv_.blocks_for(covered + further) - kv_.blocks_for(covered);
    }
    return blocks;
}

// Blocks are taken in the order in which single steps would take them.
void Scheduler::carry_on(const Plan& plan, uint32_t further) {
    struct Taking {
        uint32_t step;
        size_t chunk;
        auto operator<=>(const Taking&) const = default;
    };
    std::vector<Taking> takings;
    for (size_t i = 0; i < plan.chunks.size(); ++i) {
        const uint32_t covered = plan.chunks[i].first + 1;
        const uint32_t block = kv_.block_tokens();
        for (uint32_t step = (block - covered % block) % block + 1; step <= further; step += block)
            takings.push_back({step, i});
        tenants_.charge(sequence(plan.chunks[i].sequence).spec.tenant, further);
    }
    std::ranges::sort(takings);
    for (const auto& [step, i] : takings)
        CHECK(kv_.grow(plan.chunks[i].sequence, plan.chunks[i].first + 1 + step));
    step_ += further;
    stats_.steps += further;
    stats_.planned_tokens += uint64_t{further} * plan.chunks.size();
}

}  // namespace brigada
