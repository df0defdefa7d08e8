#include "sched/scheduler.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace brigada {

Scheduler::Scheduler(const SchedulerConfig& config, const KvConfig& kv) : config_(config), kv_(kv) {
    check_config(config).value();
    CHECK(kv.blocks > 0 && uint64_t{kv.blocks} * kv.block_tokens >= 2);
}

// What one sequence can hold when it is alone; so alone it always comes to its end.
uint32_t Scheduler::max_tokens() const {
    const uint64_t fits = uint64_t{kv_.total_blocks()} * kv_.block_tokens();
    return static_cast<uint32_t>(std::min<uint64_t>(config_.max_context, fits));
}

// --- in -----------------------------------------------------------------------------------------

Result<void> Scheduler::submit(SequenceSpec spec, Instant now) {
    CHECK(!sequences_.contains(spec.id) && !unborn_.contains(spec.id), "sequence ", raw(spec.id));
    Result<void> accepted = check_spec(spec);
    if (accepted.ok()) accepted = check_room(spec);
    if (!accepted.ok()) {
        ++stats_.refused;
        return accepted;
    }

    if (idle()) progress_at_ = now;
    Sequence& queued = sequences_[spec.id];
    queued.tokens = std::move(spec.prompt);
    queued.prompt_tokens = queued.known();
    queued.max_tokens = static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t{queued.prompt_tokens} + spec.max_new_tokens, max_tokens()));
    queued.queued_at = now;
    queued.has_siblings = !spec.forks.empty();
    for (const SequenceId fork : spec.forks)
        CHECK(!sequences_.contains(fork) && unborn_.emplace(fork, spec.id).second, "fork ",
              raw(fork));
    queued.spec = std::move(spec);
    waiting_.push_back(&queued);
    stats_.waiting += queued.siblings();
    stats_.waiting_tokens += queued.known();
    tenants_.enter(queued.spec.tenant);
    ++stats_.submitted;
    return {};
}

Result<void> Scheduler::check_spec(const SequenceSpec& spec) const {
    const size_t siblings = spec.forks.size() + 1;
    if (spec.prompt.empty()) return Error{Code::invalid_argument, "the prompt is empty"};
    if (spec.max_new_tokens == 0)
        return Error{Code::invalid_argument, "max_new_tokens is 0; it must be at least 1"};
    if (spec.prompt.size() >= config_.max_context)
        return Error{Code::too_large,
                     concat("the prompt has ", spec.prompt.size(), " tokens; the context holds ",
                            config_.max_context, " with at least 1 of output")};
    if (spec.prompt.size() >= max_tokens())
        return Error{Code::too_large,
                     concat("the prompt has ", spec.prompt.size(), " tokens; the KV cache holds ",
                            max_tokens(), " with at least 1 of output")};
    if (siblings > config_.max_running)
        return Error{Code::too_large, concat("n is ", siblings, "; at most ", config_.max_running,
                                             " sequences run at once")};
    for (const RetentionRange& range : spec.retention.ranges)
        if (range.priority > kPriorityMax)
            return Error{Code::invalid_argument, concat("retention priority is ", range.priority,
                                                        "; the highest is ", kPriorityMax)};
    return {};
}

// Into an empty queue anything goes: refusing it for good is check_spec's business.
Result<void> Scheduler::check_room(const SequenceSpec& spec) const {
    if (waiting_.empty()) return {};
    const uint64_t sequences = uint64_t{stats_.waiting} + 1 + spec.forks.size();
    if (sequences > config_.max_waiting)
        return Error{Code::exhausted, concat("the queue is full: ", stats_.waiting,
                                             " sequences wait, at most ", config_.max_waiting)};
    if (stats_.waiting_tokens + spec.prompt.size() > config_.max_waiting_tokens)
        return Error{Code::exhausted,
                     concat("the queue is full: ", stats_.waiting_tokens, " tokens wait, ",
                            spec.prompt.size(), " more would exceed ", config_.max_waiting_tokens)};
    return {};
}

// --- out ----------------------------------------------------------------------------------------

std::vector<Finished> Scheduler::commit(const Plan& plan, const Outcome& outcome, Instant now) {
    CHECK(planned_ && plan.step == step_, "step ", plan.step, " is not the one that is out");
    planned_ = false;
    if (!plan.empty()) progress_at_ = now;

    std::vector<SequenceId> sampling;
    for (const Chunk& chunk : plan.chunks) {
        const auto place = sequences_.find(chunk.sequence);
        if (place == sequences_.end()) continue;  // cancelled meanwhile
        Sequence& advanced = place->second;
        advanced.computed += chunk.count;
        advanced.planned = 0;
        kv_.computed(chunk.sequence, advanced.tokens, advanced.computed);
        if (!chunk.samples) continue;
        sampling.push_back(chunk.sequence);
        sampling.insert(sampling.end(), advanced.spec.forks.begin(), advanced.spec.forks.end());
        bear_forks(advanced);
    }

    std::unordered_map<SequenceId, Sampled> sampled;
    for (const Sampled& one : outcome.sampled)
        sampled.emplace(one.sequence, one);
    std::vector<Finished> finished;
    for (const SequenceId id : sampling) {
        const auto token = sampled.find(id);
        CHECK(token != sampled.end(), "no token for sequence ", raw(id));
        Sequence& advanced = sequences_.at(id);
        advanced.tokens.push_back(token->second.token);
        if (!ends(advanced, token->second)) continue;
        finished.push_back({id, token->second.finished ? Finish::stop : Finish::length});
        ++stats_.finished;
        end(advanced, !advanced.has_siblings);
    }
    return finished;
}

bool Scheduler::ends(const Sequence& sequence, const Sampled& sampled) const {
    return sampled.finished || sequence.known() >= sequence.max_tokens;
}

void Scheduler::bear_forks(Sequence& parent) {
    for (const SequenceId id : std::exchange(parent.spec.forks, {})) {
        unborn_.erase(id);
        Sequence& child = sequences_[id] = parent;
        child.spec.id = id;
        kv_.fork(parent.spec.id, id);
        running_.push_back(&child);
        tenants_.enter(child.spec.tenant);
    }
}

void Scheduler::cancel(SequenceId id) {
    if (const auto fork = unborn_.find(id); fork != unborn_.end()) {
        Sequence& parent = sequences_.at(fork->second);
        std::erase(parent.spec.forks, id);
        if (!parent.runs()) --stats_.waiting;
        unborn_.erase(fork);
        ++stats_.cancelled;
        return;
    }
    const auto place = sequences_.find(id);
    if (place == sequences_.end()) return;
    stats_.cancelled += place->second.siblings();
    end(place->second, false);
}

void Scheduler::end(Sequence& sequence, bool turn_ended) {
    for (const SequenceId fork : sequence.spec.forks)
        unborn_.erase(fork);
    if (sequence.runs()) {
        kv_.release(sequence.spec.id, true, turn_ended);
        std::erase(running_, &sequence);
    } else {
        stop_waiting(sequence);
    }
    tenants_.leave(sequence.spec.tenant);
    sequences_.erase(SequenceId{sequence.spec.id});  // a copy: the map's own key dies with it
}

void Scheduler::stop_waiting(Sequence& sequence) {
    stats_.waiting -= sequence.siblings();
    stats_.waiting_tokens -= sequence.known();
    std::erase(waiting_, &sequence);
}

// --- looking ------------------------------------------------------------------------------------

const Sequence& Scheduler::sequence(SequenceId id) const {
    const auto place = sequences_.find(id);
    CHECK(place != sequences_.end(), "no sequence ", raw(id));
    return place->second;
}

SchedulerStats Scheduler::stats() const {
    SchedulerStats stats = stats_;
    stats.running = static_cast<uint32_t>(running_.size());
    return stats;
}

bool Scheduler::stalled(Instant now) const {
    return !idle() && now - progress_at_ > config_.watchdog;
}

}  // namespace brigada
