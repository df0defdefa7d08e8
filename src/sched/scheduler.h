// Scheduler: which tokens of which sequences the next step computes. A core: sequences and the time
// go in, a Plan comes out; the engine and the simulator drive the same object. It owns the KV books
// of its replica, since what can run is what fits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "kv/books.h"
#include "sched/config.h"
#include "sched/plan.h"
#include "sched/plan_digest.h"
#include "sched/sequence.h"
#include "sched/tenant_service.h"

namespace brigada {

struct SchedulerStats {
    uint32_t running = 0;         // sequences
    uint32_t waiting = 0;         // sequences, unborn forks included
    uint64_t waiting_tokens = 0;  // known tokens of those that wait
    uint64_t submitted = 0;       // since construction, from here on
    uint64_t refused = 0;
    uint64_t finished = 0;
    uint64_t cancelled = 0;
    uint64_t expired = 0;
    uint64_t preemptions = 0;
    uint64_t shared_waits = 0;  // times a sequence began to wait for another to compute its prefix
    uint64_t steps = 0;
    uint64_t planned_tokens = 0;
};

class Scheduler {
  public:
    /// The configs must be valid: see check_config().
    Scheduler(const SchedulerConfig& config, const KvConfig& kv);
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// Queues a sequence. The place in the queue is taken here, so a burst cannot overfill it.
    ///   too_large         the prompt leaves no room in the context, or never fits in the KV cache;
    ///                     more siblings than can run
    ///   exhausted         the queue is full, in sequences or in tokens
    ///   invalid_argument  empty prompt, max_new_tokens 0, a retention priority over 100
    /// The message names value and limit. Ids must be new.
    Result<void> submit(SequenceSpec spec, Instant now);

    /// The next step. Every plan is followed by its commit before the next plan; submit and cancel
    /// may come between. With `max_steps` the plan says how many times in a row it may be carried
    /// out: decisions are those of single steps, and a simulation need not take them one by one.
    Plan plan(Instant now, uint32_t max_steps = 1);

    /// The plan was carried out, `outcome.steps` times. Returns what ended; those sequences are
    /// gone from here.
    [[nodiscard]] std::vector<Finished> commit(const Plan& plan, const Outcome& outcome,
                                               Instant now);

    /// Ends a sequence, waiting or running; its blocks are free at once. Cancelling one whose forks
    /// are not born yet cancels them too. An unknown id (it just ended) is ignored.
    void cancel(SequenceId id);

    bool idle() const { return sequences_.empty(); }
    bool contains(SequenceId id) const { return sequences_.contains(id); }
    const Sequence& sequence(SequenceId id) const;  // the id must be known
    std::span<const TokenId> tokens(SequenceId id) const { return sequence(id).tokens; }
    std::span<const BlockId> table(SequenceId id) const { return kv_.table(id); }  // must run

    KvBooks& kv() { return kv_; }
    const KvBooks& kv() const { return kv_; }
    const SchedulerConfig& config() const { return config_; }

    /// The longest prompt that submit accepts.
    uint32_t max_prompt_tokens() const { return max_tokens() - 1; }

    SchedulerStats stats() const;

    /// The watchdog: there is work, and no token was computed for longer than config.watchdog.
    bool stalled(Instant now) const;

    /// Running and waiting sequences and the KV books as text, for /debug/state. At most
    /// `max_lines` sequences each.
    std::string describe(Instant now, size_t max_lines = 64) const;

    /// A running hash of all decisions: equal seeds must end in equal digests.
    uint64_t digest() const { return digest_.value(); }

    /// Proves queues, counters and KV books.
    void check() const;

  private:
    struct Candidate;
    struct FreshLevels;

    // Steps of plan(), in order.
    void expire_waiting(Plan& plan, Instant now);
    void continue_decodes(Plan& plan, Instant now);
    void continue_prefills(Plan& plan, Instant now);
    void admit_waiting(Plan& plan, Instant now);
    void top_up_prefills(Plan& plan);
    void seal(Plan& plan);
    void look_ahead(Plan& plan, uint32_t max_steps);

    // Parts of these steps.
    bool advance(Plan& plan, Sequence& sequence, uint32_t count, Instant now);
    void add_tokens(Plan& plan, Sequence& sequence, uint32_t count);
    void preempt(Plan& plan, Sequence& victim, Instant now);
    Sequence& least_important() const;
    uint32_t lane_share(const Sequence& sequence, uint32_t tokens) const;
    enum class Verdict { admit, pass_over, stop };
    Verdict judge(Sequence& sequence, uint32_t reserved_blocks);
    bool waits_for_leader(Sequence& sequence);
    void find_leader(Sequence& sequence, uint32_t cached) const;
    bool fits(const Sequence& sequence, uint32_t cached, uint32_t reserved_blocks) const;
    uint32_t admit(Plan& plan, Sequence& sequence, Instant now);
    int64_t level(const Sequence& sequence, Instant now) const;
    Candidate candidate(Sequence& sequence, const FreshLevels& fresh, Instant now) const;
    FreshLevels fresh_levels(Instant now) const;
    uint32_t running_siblings() const;

    // Parts of look_ahead() and of committing several steps.
    bool only_decodes(const Plan& plan) const;
    bool none_can_begin();
    uint32_t steps_alone(const Chunk& chunk) const;
    uint64_t blocks_to_carry_on(const Plan& plan, uint32_t further) const;
    void carry_on(const Plan& plan, uint32_t further);

    class SampledIds;
    uint32_t prompt_tokens(const SequenceSpec& spec) const;
    Result<void> check_spec(const SequenceSpec& spec) const;
    Result<void> check_room(const SequenceSpec& spec) const;
    Sequence& bear_fork(Sequence& parent, SequenceId id);
    bool extend(Sequence& sequence, uint32_t count, SampledIds& ids);
    void end(Sequence& sequence, bool turn_ended);
    void stop_waiting(Sequence& sequence);
    uint32_t max_tokens() const;
    void describe_one(std::string& out, const Sequence& sequence, Instant now) const;
    void check_sequence(const Sequence& sequence) const;

    SchedulerConfig config_;
    KvBooks kv_;
    TenantService tenants_;
    SchedulerStats stats_;
    uint64_t step_ = 0;
    PlanDigest digest_;
    bool planned_ = false;      // a plan is out whose commit has not come
    uint32_t budget_left_ = 0;  // tokens of the plan being made that nobody has
    uint32_t lane_left_ = 0;    // of those, what long prompts may still take
    Instant progress_at_;
    std::unordered_map<SequenceId, Sequence> sequences_;
    std::vector<Sequence*> running_;                     // in order of admission
    std::vector<Sequence*> walked_;                      // a copy, while a step walks over it
    std::vector<Sequence*> waiting_;                     // ranked when a step looks at them
    std::unordered_map<SequenceId, SequenceId> unborn_;  // fork -> the sequence it will come from
};

}  // namespace brigada
