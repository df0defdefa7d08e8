// Scheduler::describe, its state as text for people, and Scheduler::check, its state proved.
#include <algorithm>
#include <iterator>
#include <map>

#include "base/check.h"
#include "base/concat.h"
#include "sched/scheduler.h"

namespace brigada {

std::string Scheduler::describe(Instant now, size_t max_lines) const {
    std::string out =
        concat("step ", step_, planned_ ? " (computing)" : "", "\nblocks: ", kv_.total_blocks(),
               " total, ", kv_.held_blocks(), " held, ", kv_.evictable_blocks(),
               " cached and evictable, ", kv_.free_blocks(), " free\n");
    const auto list = [&](std::string_view title, const std::vector<Sequence*>& sequences) {
        out += concat(title, ": ", sequences.size(), "\n");
        for (size_t i = 0; i < std::min(max_lines, sequences.size()); ++i)
            describe_one(out, *sequences[i], now);
        if (sequences.size() > max_lines)
            out += concat("  ", sequences.size() - max_lines, " more\n");
    };
    list("running", running_);
    list("waiting", waiting_);
    return out;
}

void Scheduler::describe_one(std::string& out, const Sequence& sequence, Instant now) const {
    out += concat("  ", raw(sequence.spec.id), ": tenant ", raw(sequence.spec.tenant),
                  ", priority ", sequence.spec.priority, ", computed ", sequence.computed, " of ",
                  sequence.known(), " (prompt ", sequence.prompt_tokens, ", cached ",
                  sequence.cached_tokens, "), preempted ", sequence.preemptions, " times");
    if (sequence.runs())
        out += concat(", ", kv_.table(sequence.spec.id).size(), " blocks");
    else
        out += concat(", waiting ", (now - sequence.queued_at).ms(), " ms");
    if (!sequence.runs() && sequence.leader_tokens > 0)
        out += concat(" for ", raw(sequence.leader), " to compute ", sequence.leader_tokens);
    out += '\n';
}

void Scheduler::check() const {
    CHECK(running_.size() + waiting_.size() == sequences_.size());
    CHECK(running_siblings() <= config_.max_running);
    std::map<TenantId, uint32_t> by_tenant;
    uint64_t waiting = 0;
    uint64_t waiting_tokens = 0;
    size_t unborn = 0;
    for (const auto& [id, sequence] : sequences_) {
        CHECK(sequence.spec.id == id);
        check_sequence(sequence);
        ++by_tenant[sequence.spec.tenant];
        unborn += sequence.spec.forks.size();
        if (sequence.runs()) continue;
        waiting += sequence.siblings();
        waiting_tokens += sequence.known();
    }
    CHECK(waiting == stats_.waiting && waiting_tokens == stats_.waiting_tokens);
    CHECK(unborn == unborn_.size());
    for (const auto& [fork, parent] : unborn_)
        CHECK(std::ranges::count(sequences_.at(parent).spec.forks, fork) == 1);
    tenants_.check(by_tenant);
    kv_.check();
}

void Scheduler::check_sequence(const Sequence& sequence) const {
    const auto number = raw(sequence.spec.id);
    const bool is_listed_once =
        std::ranges::count(running_, &sequence) == (sequence.runs() ? 1 : 0) &&
        std::ranges::count(waiting_, &sequence) == (sequence.runs() ? 0 : 1);
    CHECK(is_listed_once, "sequence ", number);
    CHECK(kv_.contains(sequence.spec.id) == sequence.runs(), "sequence ", number);
    CHECK(sequence.computed + sequence.planned <= sequence.known(), "sequence ", number);
    CHECK(sequence.computed < sequence.known() && sequence.known() < sequence.max_tokens + 1);
    CHECK(planned_ || sequence.planned == 0, "sequence ", number);
    CHECK(sequence.runs() || sequence.computed == 0, "sequence ", number);
}

}  // namespace brigada
