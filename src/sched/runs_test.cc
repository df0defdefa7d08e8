// An id that stands for a run of tokens: the scheduler decides as if every token had its own.
#include <algorithm>

#include "base/rng.h"
#include "sched/scheduler.h"

namespace brigada {
namespace {

constexpr uint32_t kRun = 4;  // tokens of a block, and of an id where ids stand for runs

/// Random sessions at a scheduler whose ids stand for `per_id` tokens. What is asked and answered
/// is the same runs whatever that is.
class RunTraffic {
  public:
    RunTraffic(uint64_t seed, uint32_t per_id)
        : rng_(seed), per_id_(per_id), scheduler_(config(), kv(per_id)) {}

    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            if (rng_.chance(0.4)) submit();
            if (rng_.chance(0.03) && next_id_ > 1)
                scheduler_.cancel(SequenceId{1 + rng_.below(next_id_ - 1)});
            step();
        }
    }

    const Scheduler& scheduler() const { return scheduler_; }

  private:
    static SchedulerConfig config() {
        SchedulerConfig config;
        config.step_tokens = 24;
        config.max_running = 6;
        config.max_context = 96;
        config.max_waiting = 12;
        config.ageing = Duration::milliseconds(200);
        return config;
    }

    static KvConfig kv(uint32_t per_id) {
        return {.blocks = 24, .block_tokens = kRun, .ghost_blocks = 48, .tokens_per_id = per_id};
    }

    /// The ids of the first `tokens` tokens of these runs.
    Tokens ids_of(const std::vector<uint32_t>& runs, uint32_t tokens) const {
        Tokens ids;
        for (uint32_t at = 0; at < tokens; at += per_id_)
            ids.push_back(TokenId{runs[at / kRun] * kRun + at % kRun});
        return ids;
    }

    void submit() {
        std::vector<uint32_t> runs;
        for (int64_t n = rng_.between(1, 14); n > 0; --n)
            runs.push_back(static_cast<uint32_t>(rng_.below(2)));
        SequenceSpec spec;
        spec.id = SequenceId{next_id_++};
        spec.prompt_tokens =
            static_cast<uint32_t>(runs.size()) * kRun - static_cast<uint32_t>(rng_.below(kRun));
        spec.prompt = ids_of(runs, spec.prompt_tokens);
        spec.max_new_tokens = static_cast<uint32_t>(rng_.between(1, 30));
        spec.priority = static_cast<int32_t>(rng_.below(3));
        spec.tenant = TenantId{static_cast<uint32_t>(rng_.below(3))};
        spec.scope.session = SessionId{rng_.below(4)};
        if (rng_.chance(0.5)) spec.retention.ranges = {{0, 8, 60, Duration::seconds(3'600)}};
        spec.arrival = now_;
        runs_.resize(next_id_);
        runs_[raw(spec.id)] = runs;
        static_cast<void>(scheduler_.submit(std::move(spec), now_).ok());
    }

    void step() {
        now_ = now_ + Duration::milliseconds(10);
        const Plan plan = scheduler_.plan(now_);
        Outcome outcome;
        for (const Chunk& chunk : plan.chunks) {
            const Sequence& sequence = scheduler_.sequence(chunk.sequence);
            const uint32_t at = sequence.known();
            std::vector<uint32_t>& runs = runs_[raw(chunk.sequence)];
            if (at / kRun == runs.size())  // an answer is of the runs that prompts are made of
                runs.push_back(static_cast<uint32_t>((raw(chunk.sequence) + at) / 3 % 2));
            if (chunk.samples && at % per_id_ == 0)
                outcome.sampled.push_back(
                    {chunk.sequence, TokenId{runs[at / kRun] * kRun + at % kRun}});
        }
        static_cast<void>(scheduler_.commit(plan, outcome, now_));
        scheduler_.check();
    }

    Rng rng_;
    uint32_t per_id_;
    Scheduler scheduler_;
    Instant now_ = Instant::at_ns(1);
    uint64_t next_id_ = 1;
    std::vector<std::vector<uint32_t>> runs_;  // of each sequence
};

TEST(Runs, are_scheduled_as_their_tokens_would_be) {
    uint64_t hits = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        RunTraffic tokens(seed, 1);
        RunTraffic pairs(seed, 2);
        RunTraffic runs(seed, kRun);
        tokens.run(300);
        pairs.run(300);
        runs.run(300);
        ASSERT_EQ(tokens.scheduler().digest(), runs.scheduler().digest());
        ASSERT_EQ(tokens.scheduler().digest(), pairs.scheduler().digest());
        const KvStats& one = tokens.scheduler().kv().stats();
        const KvStats& other = runs.scheduler().kv().stats();
        ASSERT_EQ(one.hits, other.hits);
        ASSERT_EQ(one.queries, other.queries);
        ASSERT_EQ(one.evicted_blocks, other.evicted_blocks);
        ASSERT_EQ(one.reread, other.reread);
        hits += one.hits;
    }
    EXPECT_GT(hits, 1'000u);
}

TEST(RunsDeathTest, refuses_a_prompt_whose_ids_do_not_fit_its_length) {
    Scheduler scheduler({}, {.blocks = 8, .block_tokens = 4, .tokens_per_id = 4});
    SequenceSpec spec;
    spec.prompt = {TokenId{1}, TokenId{2}};
    spec.prompt_tokens = 4;
    spec.max_new_tokens = 1;
    EXPECT_DEATH(static_cast<void>(scheduler.submit(spec, Instant()).ok()),
                 "4 tokens of prompt, 2 ids");
}

}  // namespace
}  // namespace brigada
