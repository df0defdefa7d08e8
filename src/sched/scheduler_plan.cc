// Scheduler::plan and its steps: who gets how many tokens of the next step, and who must make room.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"
#include "sched/scheduler.h"

namespace brigada {
namespace {

// Candidates for which a step looks into the prefix tree. The rest of a long queue waits for the
// next step, so planning costs the same however many wait.
constexpr uint32_t kLooksPerStep = 64;

// Waiting for another to compute a shared prefix of fewer blocks than this gains too little.
constexpr uint32_t kWorthSharingBlocks = 2;

uint32_t shared_ids(const Tokens& a, const Tokens& b) {
    return static_cast<uint32_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

/// The lowest level of each class among those that wait and never ran.
struct Scheduler::FreshLevels {
    std::map<int32_t, int64_t> of_class;
};

/// A waiting sequence and its place in the order of admission; the smallest goes first.
struct Scheduler::Candidate {
    int64_t level;
    bool fresh;  // preempted ones go first in their class
    int64_t served;
    Instant deadline;
    Instant arrival;
    SequenceId id;
    Sequence* sequence;

    auto order() const { return std::tie(level, fresh, served, deadline, arrival, id); }
    static bool later(const Candidate& a, const Candidate& b) { return b.order() < a.order(); }
};

Plan Scheduler::plan(Instant now, uint32_t max_steps) {
    CHECK(!planned_, "step ", step_, " is not committed");
    planned_ = true;
    kv_.begin_step(now);
    budget_left_ = config_.step_tokens;
    lane_left_ = std::min(config_.chunk_cap(), budget_left_);

    Plan plan;
    plan.step = ++step_;
    expire_waiting(plan, now);
    continue_decodes(plan, now);   // a running sequence never waits behind a new one
    continue_prefills(plan, now);  // chunks already begun
    admit_waiting(plan, now);      // then new work
    top_up_prefills(plan);         // and nothing is left unused that nobody else wants
    seal(plan);
    look_ahead(plan, max_steps);  // and whether the next steps would be the same
    CHECK(plan.tokens() + budget_left_ == config_.step_tokens);
    return plan;
}

// --- steps --------------------------------------------------------------------------------------

void Scheduler::expire_waiting(Plan& plan, Instant now) {
    std::vector<Sequence*> late;
    std::ranges::copy_if(waiting_, std::back_inserter(late), [&](const Sequence* waiting) {
        return !waiting->begun && waiting->spec.deadline <= now;
    });
    for (Sequence* sequence : late) {
        plan.expired.push_back(sequence->spec.id);
        stats_.expired += sequence->siblings();
        end(*sequence, false);
    }
}

void Scheduler::continue_decodes(Plan& plan, Instant now) {
    walked_ = running_;  // a copy: preempting changes the list
    for (Sequence* sequence : walked_)
        if (sequence->runs() && sequence->decodes()) advance(plan, *sequence, 1, now);
}

void Scheduler::continue_prefills(Plan& plan, Instant now) {
    walked_ = running_;
    for (Sequence* sequence : walked_) {
        if (!sequence->runs() || sequence->decodes()) continue;
        const uint32_t count = lane_share(*sequence, sequence->remaining());
        if (count == 0) continue;
        const bool is_long = sequence->remaining() > config_.chunk_cap();
        if (advance(plan, *sequence, count, now) && is_long) lane_left_ -= count;
    }
}

void Scheduler::admit_waiting(Plan& plan, Instant now) {
    if (!plan.preempted.empty() || waiting_.empty()) return;
    const FreshLevels fresh = fresh_levels(now);
    std::vector<Candidate> queue;
    queue.reserve(waiting_.size());
    for (Sequence* sequence : waiting_)
        queue.push_back(candidate(*sequence, fresh, now));
    std::ranges::make_heap(queue, Candidate::later);
    uint32_t reserved = 0;  // blocks that running sequences need for what they know already
    for (const Sequence* sequence : running_)
        reserved += kv_.blocks_to_grow(sequence->spec.id, sequence->known());

    for (uint32_t looks = 0; !queue.empty() && budget_left_ > 0 && looks < kLooksPerStep;) {
        std::ranges::pop_heap(queue, Candidate::later);
        Candidate& first = queue.back();
        const Candidate again = candidate(*first.sequence, fresh, now);
        if (again.served != first.served) {  // its tenant was served since: it may not be first now
            first = again;
            std::ranges::push_heap(queue, Candidate::later);
            continue;
        }
        Sequence& sequence = *first.sequence;
        queue.pop_back();
        if (waits_for_leader(sequence)) continue;
        ++looks;
        const Verdict verdict = judge(sequence, reserved);
        if (verdict == Verdict::stop) break;
        if (verdict == Verdict::admit) reserved += admit(plan, sequence, now);
    }
}

// Long prompts were held to their share for the sake of others; if no one decodes, the time is
// theirs.
void Scheduler::top_up_prefills(Plan& plan) {
    const auto decodes = [](const Sequence* sequence) { return sequence->decodes(); };
    if (std::ranges::any_of(running_, decodes)) return;
    for (Sequence* sequence : running_) {
        const uint32_t count = std::min(sequence->remaining(), budget_left_);
        const uint32_t covered = sequence->computed + sequence->planned + count;
        if (count > 0 && kv_.grow(sequence->spec.id, covered)) add_tokens(plan, *sequence, count);
    }
}

void Scheduler::seal(Plan& plan) {
    for (Chunk& chunk : plan.chunks) {
        const Sequence& sequence = sequences_.at(chunk.sequence);
        chunk.samples = chunk.first + chunk.count == sequence.known();
        if (chunk.samples) chunk.forks = sequence.siblings() - 1;
    }
    plan.copies = kv_.take_copies();
    ++stats_.steps;
    stats_.planned_tokens += plan.tokens();
}

// --- tokens and blocks --------------------------------------------------------------------------

// The tokens of `wanted` that the sequence gets: what is left of the budget and, for a long prompt,
// of the lane that all long prompts share.
uint32_t Scheduler::lane_share(const Sequence& sequence, uint32_t wanted) const {
    const bool is_long = sequence.remaining() > config_.chunk_cap();
    return std::min({wanted, budget_left_, is_long ? lane_left_ : wanted});
}

// Plans `count` more tokens, preempting others until their KV has room. False when the sequence
// itself was the least important one and had to go.
bool Scheduler::advance(Plan& plan, Sequence& sequence, uint32_t count, Instant now) {
    while (!kv_.grow(sequence.spec.id, sequence.computed + sequence.planned + count)) {
        Sequence& victim = least_important();
        preempt(plan, victim, now);
        if (&victim == &sequence) return false;
    }
    add_tokens(plan, sequence, count);
    return true;
}

void Scheduler::add_tokens(Plan& plan, Sequence& sequence, uint32_t count) {
    if (sequence.planned == 0) {
        plan.chunks.push_back({sequence.spec.id, sequence.computed, count});
    } else {
        const auto chunk = std::ranges::find(plan.chunks, sequence.spec.id, &Chunk::sequence);
        chunk->count += count;
    }
    sequence.planned += count;
    budget_left_ -= count;
    tenants_.charge(sequence.spec.tenant, count);
}

void Scheduler::preempt(Plan& plan, Sequence& victim, Instant now) {
    std::erase_if(plan.chunks, [&](const Chunk& c) { return c.sequence == victim.spec.id; });
    budget_left_ += victim.planned;
    tenants_.charge(victim.spec.tenant, -int64_t{victim.planned});
    kv_.release(victim.spec.id, true);
    std::erase(running_, &victim);
    plan.preempted.push_back(victim.spec.id);

    victim.state = SequenceState::waiting;
    victim.planned = 0;
    victim.computed = 0;
    victim.queued_at = now;
    ++victim.preemptions;
    waiting_.push_back(&victim);
    stats_.waiting += victim.siblings();
    stats_.waiting_tokens += victim.known();
    ++stats_.preemptions;
}

Sequence& Scheduler::least_important() const {
    const auto importance = [](const Sequence* s) {
        return std::tuple(s->level, s->spec.arrival, s->spec.id);
    };
    return **std::ranges::max_element(running_, {}, importance);
}

// --- admission ----------------------------------------------------------------------------------

// One that was preempted goes before all of its class that never ran, however long those wait: its
// client has seen a part of the answer.
Scheduler::Candidate Scheduler::candidate(Sequence& sequence, const FreshLevels& fresh,
                                          Instant now) const {
    const int64_t served = config_.tenant_fairness ? tenants_.served(sequence.spec.tenant) : 0;
    int64_t level = this->level(sequence, now);
    const auto oldest = fresh.of_class.find(sequence.spec.priority);
    if (sequence.begun && oldest != fresh.of_class.end()) level = std::min(level, oldest->second);
    return {level,
            !sequence.begun,
            served,
            sequence.spec.deadline,
            sequence.spec.arrival,
            sequence.spec.id,
            &sequence};
}

Scheduler::FreshLevels Scheduler::fresh_levels(Instant now) const {
    FreshLevels fresh;
    if (std::ranges::none_of(waiting_, &Sequence::begun)) return fresh;  // then nobody asks
    for (const Sequence* sequence : waiting_) {
        if (sequence->begun) continue;
        const int64_t level = this->level(*sequence, now);
        const auto [place, is_new] = fresh.of_class.try_emplace(sequence->spec.priority, level);
        if (!is_new) place->second = std::min(place->second, level);
    }
    return fresh;
}

int64_t Scheduler::level(const Sequence& sequence, Instant now) const {
    const Duration waited = sequence.waited + (now - sequence.queued_at);
    return sequence.spec.priority - waited.ns() / config_.ageing.ns();
}

Scheduler::Verdict Scheduler::judge(Sequence& sequence, uint32_t reserved_blocks) {
    if (running_siblings() + sequence.siblings() > config_.max_running) return Verdict::stop;
    const uint32_t cached = kv_.lookup(sequence.tokens, sequence.spec.scope, sequence.cursor);
    find_leader(sequence, cached);
    if (waits_for_leader(sequence)) {
        ++stats_.shared_waits;
        return Verdict::pass_over;
    }
    const bool is_long = sequence.known() - cached > config_.chunk_cap();
    if (is_long && lane_left_ == 0) return Verdict::pass_over;
    return fits(sequence, cached, reserved_blocks) ? Verdict::admit : Verdict::stop;
}

// The whole of what it knows must fit, with the next token of each sibling, before it starts; and
// something is left over for the others to grow. Alone, it only needs to fit.
bool Scheduler::fits(const Sequence& sequence, uint32_t cached, uint32_t reserved_blocks) const {
    const uint64_t total = kv_.total_blocks();
    const bool alone = running_.empty();
    const uint64_t growth = alone ? 0
                                  : kv_.blocks_for(sequence.known() + 1) + sequence.siblings() - 1 -
                                        kv_.blocks_for(sequence.known());
    const uint64_t margin = alone ? 0 : total * config_.watermark_permille / 1000;
    const uint64_t needed =
        kv_.blocks_for(sequence.known()) - cached / kv_.block_tokens() + growth + margin;
    const uint64_t taken = uint64_t{reserved_blocks} + needed;
    const uint64_t available = kv_.available_blocks();
    if (taken + cached / kv_.block_tokens() <= available) return true;
    return taken <= available && taken + kv_.evictable_in(sequence.cursor) <= available;
}

// Returns the blocks that the rest of what it knows will take.
uint32_t Scheduler::admit(Plan& plan, Sequence& sequence, Instant now) {
    stop_waiting(sequence);
    const Hit hit =
        kv_.begin(sequence.spec.id, sequence.tokens, sequence.spec.scope, sequence.spec.retention,
                  sequence.begun, sequence.cursor, sequence.known());
    if (!sequence.begun) {
        sequence.cached_tokens = hit.cached_tokens;
        sequence.reread_tokens = hit.reread_tokens;
    }
    sequence.level = level(sequence, now);
    sequence.waited = sequence.waited + (now - sequence.queued_at);
    sequence.begun = true;
    sequence.state = SequenceState::running;
    sequence.computed = hit.cached_tokens;
    running_.push_back(&sequence);

    const bool is_long = sequence.remaining() > config_.chunk_cap();
    const uint32_t count = lane_share(sequence, sequence.remaining());
    CHECK(count > 0 && kv_.grow(sequence.spec.id, sequence.computed + count));
    add_tokens(plan, sequence, count);
    if (is_long) lane_left_ -= count;
    return kv_.blocks_to_grow(sequence.spec.id, sequence.known());
}

bool Scheduler::waits_for_leader(Sequence& sequence) {
    if (sequence.leader_tokens == 0) return false;
    const auto leader = sequences_.find(sequence.leader);
    const bool computing = leader != sequences_.end() && leader->second.runs() &&
                           leader->second.computed < sequence.leader_tokens;
    if (!computing || sequence.shared_steps >= config_.share_patience_steps) {
        sequence.leader_tokens = 0;
        return false;
    }
    ++sequence.shared_steps;
    return true;
}

// The running sequence that is about to compute the longest prefix of this one beyond what is
// cached.
void Scheduler::find_leader(Sequence& sequence, uint32_t cached) const {
    const uint32_t block = kv_.block_tokens();
    const uint32_t per_id = kv_.tokens_per_id();
    uint32_t longest = cached + kWorthSharingBlocks * block - 1;
    for (const Sequence* running : running_) {
        const bool computes_more = running->computed + block <= running->known() &&
                                   running->known() > longest && sequence.known() > longest;
        const uint32_t id = longest / per_id;
        if (!computes_more || running->tokens[id] != sequence.tokens[id]) continue;
        if (running->spec.scope.salt != sequence.spec.scope.salt ||
            running->spec.scope.lora != sequence.spec.scope.lora)
            continue;
        const uint32_t shared = std::min({shared_ids(running->tokens, sequence.tokens) * per_id,
                                          running->known(), sequence.known() - 1});
        if (shared / block * block <= longest) continue;
        longest = shared / block * block;
        sequence.leader = running->spec.id;
        sequence.leader_tokens = longest;
    }
}

uint32_t Scheduler::running_siblings() const {
    uint32_t siblings = 0;
    for (const Sequence* sequence : running_)
        siblings += sequence->siblings();
    return siblings;
}

}  // namespace brigada
