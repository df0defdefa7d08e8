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
    queued.prompt_tokens = queued.known_tokens = prompt_tokens(spec);
    queued.tokens = std::move(spec.prompt);
    queued.cursor = spec.cursor;
    queued.max_tokens = static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t{queued.prompt_tokens} + spec.max_new_tokens, max_tokens()));
    queued.queued_at = now;
    queued.waited = spec.waited;
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

uint32_t Scheduler::prompt_tokens(const SequenceSpec& spec) const {
    const size_t whole = spec.prompt.size() * kv_.tokens_per_id();
    return spec.prompt_tokens > 0 ? spec.prompt_tokens : static_cast<uint32_t>(whole);
}

Result<void> Scheduler::check_spec(const SequenceSpec& spec) const {
    const size_t siblings = spec.forks.size() + 1;
    const uint32_t tokens = prompt_tokens(spec);
    CHECK((tokens + kv_.tokens_per_id() - 1) / kv_.tokens_per_id() == spec.prompt.size(), tokens,
          " tokens of prompt, ", spec.prompt.size(), " ids");
    if (spec.prompt.empty()) return Error{Code::invalid_argument, "the prompt is empty"};
    if (spec.max_new_tokens == 0)
        return Error{Code::invalid_argument, "max_new_tokens is 0; it must be at least 1"};
    if (tokens >= config_.max_context)
        return Error{Code::too_large,
                     concat("the prompt has ", tokens, " tokens; the context holds ",
                            config_.max_context, " with at least 1 of output")};
    if (tokens >= max_tokens())
        return Error{Code::too_large,
                     concat("the prompt has ", tokens, " tokens; the KV cache holds ", max_tokens(),
                            " with at least 1 of output")};
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
    const uint32_t tokens = prompt_tokens(spec);
    if (stats_.waiting_tokens + tokens > config_.max_waiting_tokens)
        return Error{Code::exhausted,
                     concat("the queue is full: ", stats_.waiting_tokens, " tokens wait, ", tokens,
                            " more would exceed ", config_.max_waiting_tokens)};
    return {};
}

// --- out ----------------------------------------------------------------------------------------

/// The ids of an outcome, in the order of whoever asks for them.
class Scheduler::SampledIds {
  public:
    explicit SampledIds(const std::vector<Sampled>& sampled) : sampled_(sampled) {}

    const Sampled& next(SequenceId id) {
        if (at_ >= sampled_.size() || sampled_[at_].sequence != id) {
            const auto first = std::ranges::find(sampled_, id, &Sampled::sequence);
            CHECK(first != sampled_.end(), "no token for sequence ", raw(id));
            at_ = static_cast<size_t>(first - sampled_.begin());
        }
        return sampled_[at_++];
    }

  private:
    const std::vector<Sampled>& sampled_;
    size_t at_ = 0;
};

std::vector<Finished> Scheduler::commit(const Plan& plan, const Outcome& outcome, Instant now) {
    CHECK(planned_ && plan.step == step_, "step ", plan.step, " is not the one that is out");
    CHECK(outcome.steps >= 1 && outcome.steps <= plan.steps, outcome.steps, " of ", plan.steps);
    planned_ = false;
    if (!plan.empty()) progress_at_ = now;
    digest_.add(plan, outcome.steps);

    std::vector<Sequence*> sampling;
    for (const Chunk& chunk : plan.chunks) {
        const auto place = sequences_.find(chunk.sequence);
        if (place == sequences_.end()) continue;  // cancelled meanwhile
        Sequence& advanced = place->second;
        advanced.computed += chunk.count;
        advanced.planned = 0;
        kv_.computed(chunk.sequence, advanced.tokens, advanced.computed);
        if (!chunk.samples) continue;
        sampling.push_back(&advanced);
        for (const SequenceId fork : advanced.spec.forks)
            sampling.push_back(&bear_fork(advanced, fork));
        advanced.spec.forks.clear();
    }
    if (outcome.steps > 1) carry_on(plan, outcome.steps - 1);

    SampledIds ids(outcome.sampled);
    std::vector<Finished> finished;
    for (Sequence* advanced : sampling) {
        const SequenceId id = advanced->spec.id;
        const bool stops = extend(*advanced, outcome.steps, ids);
        if (!stops && advanced->known() < advanced->max_tokens) continue;
        finished.push_back({id, stops ? Finish::stop : Finish::length, kv_.cursor(id)});
        ++stats_.finished;
        end(*advanced, !advanced->has_siblings);
    }
    return finished;
}

// Of `count` more tokens the first is sampled, the others were sampled and computed in further
// steps. True when the shell says that the last ends the sequence.
bool Scheduler::extend(Sequence& sequence, uint32_t count, SampledIds& ids) {
    bool stops = false;
    sequence.known_tokens += count;
    while (sequence.tokens.size() * kv_.tokens_per_id() < sequence.known_tokens) {
        const Sampled& next = ids.next(sequence.spec.id);
        sequence.tokens.push_back(next.token);
        stops = next.finished;
    }
    if (count > 1) {
        sequence.computed += count - 1;
        kv_.computed(sequence.spec.id, sequence.tokens, sequence.computed);
    }
    return stops;
}

Sequence& Scheduler::bear_fork(Sequence& parent, SequenceId id) {
    unborn_.erase(id);
    Sequence& child = sequences_[id] = parent;
    child.spec.id = id;
    child.spec.forks.clear();
    kv_.fork(parent.spec.id, id);
    running_.push_back(&child);
    tenants_.enter(child.spec.tenant);
    return child;
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
