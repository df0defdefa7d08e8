// VirtualReplica: one engine in virtual time: the production scheduler and KV books, with a cost
// model in place of the weights. Steps that only decode are carried out many at a time; whoever
// looks at or changes the scheduler first has it catch up, so it is as if they had been single.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "sched/scheduler.h"
#include "sim/kv_loads.h"
#include "sim/simulate.h"

namespace brigada {

class VirtualReplica {
  public:
    /// `block_tokens`: of the trace's blocks, which are the KV books' as well; one id names one.
    VirtualReplica(const SimReplica& kind, uint32_t block_tokens, bool step_by_step,
                   const SimLink& link = {});

    /// `answer` are the ids of the blocks that begin in the answer, first one first. `keys` of the
    /// prompt's full blocks are borrowed until its end: without them nothing is loaded. `from`: a
    /// replica that has read the prompt sends its KV on this lane. Errors as Scheduler::submit.
    Result<void> submit(SequenceSpec spec, Tokens answer, Instant now,
                        std::span<const BlockKey> keys = {}, Lane* from = nullptr);
    void cancel(SequenceId id, Instant now);

    /// Begins the next steps, if there is work and none are under way, and says when they end.
    std::optional<Instant> begin(Instant now);

    /// Those steps are over. Valid until the next call.
    struct FirstToken {
        SequenceId sequence{};
        uint32_t cached_tokens = 0;
        uint32_t reread_tokens = 0;
        KvLoaded loaded;
    };
    struct StepsDone {
        std::vector<FirstToken> first_tokens;
        std::vector<Finished> finished;
        SimObserver::Steps steps;
    };
    const StepsDone& end(Instant now);

    /// Commits the steps that are over by `now` and makes the one under way a single one. True if
    /// the end that was said does not hold any more: then ends() does, or nothing is computed.
    bool catch_up(Instant now);
    Instant ends() const { return ends_; }

    /// When KV that is being loaded is there, the first of it; never: nothing is.
    Instant loads_end() const { return loads_ ? loads_->next_end() : Instant::never(); }

    /// It is there. Returns the sequences that then found no place in the queue.
    std::vector<SequenceId> end_loads(Instant now);

    bool computes() const { return plan_.has_value(); }
    bool idle() const { return scheduler_.idle() && loading() == 0; }
    size_t loading() const { return loads_ ? loads_->loading() : 0; }  // sequences
    KvLoadStats load_stats() { return loads_ ? loads_->stats(scheduler_) : KvLoadStats(); }
    const Scheduler& scheduler() const { return scheduler_; }
    void check() const;
    Duration busy() const { return busy_; }
    double kv_held() const;
    double kv_cached() const;

    /// So much time was spent with so much of the KV held, in percent.
    const std::vector<Duration>& time_by_held_percent() const { return time_by_held_percent_; }

  private:
    struct Answer {
        uint32_t prompt_ids = 0;
        Tokens ids;
    };

    StepShape shape_of(const Plan& plan) const;
    uint32_t steps_begun_before(Instant until) const;
    uint32_t steps_over_by(Instant now) const;
    Duration run_time(uint32_t steps) const;
    void launch(Instant now, uint32_t max_steps);
    void plan(Instant now, uint32_t max_steps);
    void fill_outcome(uint32_t steps);
    void account(Duration time);

    SpeculativeCost cost_;
    uint32_t max_steps_;
    Scheduler scheduler_;
    std::unique_ptr<KvLoads> loads_;  // null: there is nowhere to load from
    std::unordered_map<SequenceId, Answer> answers_;
    std::optional<Plan> plan_;  // what is being computed, plan_->steps times
    StepShape shape_;
    Instant began_;
    Instant ends_;
    Outcome outcome_;
    StepsDone done_;
    Duration busy_;
    std::vector<Duration> time_by_held_percent_;
};

}  // namespace brigada
