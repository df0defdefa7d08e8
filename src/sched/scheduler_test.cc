#include "sched/scheduler.h"

#include <algorithm>
#include <map>

#include "sched/fake_runner.h"

namespace brigada {
namespace {

using testing::HasSubstr;

constexpr SequenceId kA{1};
constexpr SequenceId kB{2};
constexpr SequenceId kC{3};

Tokens numbers(uint32_t first, uint32_t count) {
    Tokens tokens;
    for (uint32_t i = 0; i < count; ++i)
        tokens.push_back(TokenId{first + i});
    return tokens;
}

/// A scheduler whose sequences stop only by length, one step every 10 ms.
class Scheduling : public testing::Test {
  protected:
    Scheduling() {
        config_.step_tokens = 32;
        config_.max_running = 8;
        config_.max_context = 512;
    }

    Scheduler& scheduler() {
        if (!scheduler_) scheduler_.emplace(config_, kv_);
        return *scheduler_;
    }

    SequenceSpec spec(SequenceId id, Tokens prompt, uint32_t max_new_tokens = 8) {
        SequenceSpec spec;
        spec.id = id;
        spec.prompt = std::move(prompt);
        spec.max_new_tokens = max_new_tokens;
        spec.arrival = now_;
        return spec;
    }

    void submit(SequenceSpec spec) { scheduler().submit(std::move(spec), now_).value(); }

    std::string refused(SequenceSpec spec, Code code) {
        const auto result = scheduler().submit(std::move(spec), now_);
        EXPECT_FALSE(result.ok());
        if (result.ok()) return "";
        EXPECT_EQ(result.error().code, code);
        return result.error().message;
    }

    Plan step() {
        now_ = now_ + Duration::milliseconds(10);
        const Plan plan = scheduler().plan(now_);
        scheduler().check();
        Outcome outcome;
        for (const Chunk& chunk : plan.chunks) {
            if (!chunk.samples) continue;
            outcome.sampled.push_back({chunk.sequence, TokenId{7}});
            for (const SequenceId fork : scheduler().sequence(chunk.sequence).spec.forks)
                outcome.sampled.push_back({fork, TokenId{8}});
        }
        for (const Finished& one : scheduler().commit(plan, outcome, now_)) {
            EXPECT_EQ(one.reason, Finish::length);
            ended_.push_back(one.sequence);
        }
        scheduler().check();
        return plan;
    }

    void run_until_idle() {
        for (int i = 0; i < 2'000 && !scheduler().idle(); ++i)
            step();
        EXPECT_TRUE(scheduler().idle());
    }

    static uint32_t count(const Plan& plan, SequenceId id) {
        const auto chunk = std::ranges::find(plan.chunks, id, &Chunk::sequence);
        return chunk == plan.chunks.end() ? 0 : chunk->count;
    }

    SchedulerConfig config_;
    KvConfig kv_{.blocks = 256, .block_tokens = 4};
    std::optional<Scheduler> scheduler_;
    Instant now_ = Instant::at_ns(1);
    std::vector<SequenceId> ended_;
};

// --- refusing -----------------------------------------------------------------------------------

TEST_F(Scheduling, refuses_what_can_never_run_and_says_what_would) {
    EXPECT_THAT(refused(spec(kA, numbers(0, 512)), Code::too_large),
                HasSubstr("512 tokens; the context holds 512"));
    EXPECT_THAT(refused(spec(kA, {}), Code::invalid_argument), HasSubstr("empty"));
    EXPECT_THAT(refused(spec(kA, numbers(0, 4), 0), Code::invalid_argument),
                HasSubstr("at least 1"));
    SequenceSpec many = spec(kA, numbers(0, 4));
    for (uint64_t i = 10; i < 18; ++i)
        many.forks.push_back(SequenceId{i});
    EXPECT_THAT(refused(many, Code::too_large), HasSubstr("n is 9; at most 8"));
    SequenceSpec greedy = spec(kA, numbers(0, 4));
    greedy.retention.ranges = {{0, 4, 101, Duration::max()}};
    EXPECT_THAT(refused(greedy, Code::invalid_argument), HasSubstr("101; the highest is 100"));
    submit(spec(kA, numbers(0, 511)));
    EXPECT_EQ(scheduler().max_prompt_tokens(), 511u);
    EXPECT_EQ(scheduler().stats().refused, 5u);
}

TEST_F(Scheduling, refuses_a_prompt_that_never_fits_in_the_kv_cache) {
    kv_.blocks = 8;
    EXPECT_THAT(refused(spec(kA, numbers(0, 32)), Code::too_large),
                HasSubstr("32 tokens; the KV cache holds 32"));
    submit(spec(kA, numbers(0, 31), 100));
    run_until_idle();
    EXPECT_EQ(ended_, std::vector{kA}) << "as long as the cache lets it be";
}

TEST_F(Scheduling, takes_the_place_in_the_queue_at_the_check) {
    config_.max_waiting = 3;
    config_.max_waiting_tokens = 100;
    submit(spec(kA, numbers(0, 60)));
    EXPECT_THAT(refused(spec(kB, numbers(0, 41)), Code::exhausted),
                HasSubstr("60 tokens wait, 41 more would exceed 100"));
    SequenceSpec twins = spec(kB, numbers(0, 10));
    twins.forks = {kC};
    submit(twins);
    EXPECT_THAT(refused(spec(SequenceId{4}, numbers(0, 1)), Code::exhausted),
                HasSubstr("3 sequences wait, at most 3"));
    scheduler().cancel(kC);
    submit(spec(SequenceId{4}, numbers(0, 1)));
    EXPECT_EQ(scheduler().stats().waiting, 3u);
    EXPECT_EQ(scheduler().stats().waiting_tokens, 71u);
}

TEST(SchedulerConfig, names_the_setting_that_cannot_work) {
    SchedulerConfig config;
    EXPECT_TRUE(check_config(config).ok());
    config.step_tokens = 63;
    EXPECT_THAT(check_config(config).error().message, HasSubstr("step_tokens is 63"));
    config = {};
    config.max_running = 0;
    EXPECT_THAT(check_config(config).error().message, HasSubstr("max_running is 0"));
    config = {};
    config.watermark_permille = 501;
    EXPECT_THAT(check_config(config).error().message, HasSubstr("501"));
}

// --- sharing a step -----------------------------------------------------------------------------

TEST_F(Scheduling, a_long_prompt_never_stops_those_that_decode) {
    submit(spec(kA, numbers(0, 4), 40));
    step();
    submit(spec(kB, numbers(1'000, 300)));
    for (int i = 0; i < 18; ++i) {
        const Plan plan = step();
        EXPECT_EQ(count(plan, kA), 1u);
        EXPECT_EQ(count(plan, kB), 16u) << "half of the step, see long_prefill_threshold";
    }
    EXPECT_EQ(count(step(), kB), 12u);
}

TEST_F(Scheduling, a_long_prompt_alone_gets_the_whole_step) {
    submit(spec(kA, numbers(0, 300)));
    EXPECT_EQ(count(step(), kA), 32u);
}

TEST_F(Scheduling, a_short_prompt_starts_while_a_long_one_is_computed) {
    submit(spec(kA, numbers(0, 300)));
    submit(spec(kB, numbers(1'000, 300)));
    step();
    submit(spec(kC, numbers(2'000, 10), 1));
    const Plan plan = step();
    EXPECT_EQ(count(plan, kC), 10u);
    EXPECT_EQ(count(plan, kA), 22u) << "what the short one leaves";
    EXPECT_EQ(count(plan, kB), 0u) << "long prompts take turns";
    EXPECT_EQ(ended_, std::vector{kC});
    run_until_idle();
}

TEST_F(Scheduling, computes_only_what_is_not_cached_and_at_least_one_token) {
    submit(spec(kA, numbers(0, 16), 1));
    run_until_idle();
    submit(spec(kB, numbers(0, 16), 1));
    const Plan plan = step();
    ASSERT_EQ(plan.chunks.size(), 1u);
    EXPECT_EQ(plan.chunks[0].first, 12u);
    EXPECT_EQ(plan.chunks[0].count, 4u);
    EXPECT_TRUE(plan.chunks[0].samples);
    submit(spec(kC, numbers(0, 17), 2));
    step();
    EXPECT_EQ(scheduler().sequence(kC).cached_tokens, 16u);
}

TEST_F(Scheduling, waits_for_whoever_computes_the_same_prefix) {
    const Tokens shared = numbers(0, 100);
    Tokens longer = shared;
    longer.push_back(TokenId{500});
    submit(spec(kA, shared));
    submit(spec(kB, longer));
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(count(step(), kB), 0u);
        EXPECT_EQ(scheduler().stats().shared_waits, 1u);
    }
    EXPECT_EQ(count(step(), kB), 1u);
    EXPECT_EQ(scheduler().sequence(kB).cached_tokens, 100u);
    run_until_idle();
}

TEST_F(Scheduling, does_not_wait_for_a_leader_that_is_gone) {
    submit(spec(kA, numbers(0, 400)));
    submit(spec(kB, numbers(0, 400)));
    step();
    EXPECT_EQ(scheduler().stats().running, 1u);
    scheduler().cancel(kA);
    EXPECT_EQ(count(step(), kB), 32u);
    EXPECT_EQ(scheduler().sequence(kB).cached_tokens, 32u) << "what the first one left";
    run_until_idle();
}

TEST_F(Scheduling, waits_for_a_leader_only_as_long_as_its_patience_lasts) {
    for (const uint32_t patience : {0u, 1u}) {
        config_.share_patience_steps = patience;
        scheduler_.emplace(config_, kv_);
        submit(spec(kA, numbers(0, 16)));
        submit(spec(kB, numbers(0, 16)));
        const Plan plan = step();
        EXPECT_EQ(count(plan, kA), 16u);
        EXPECT_EQ(count(plan, kB), patience == 0 ? 16u : 0u);
        EXPECT_EQ(count(step(), kB), patience == 0 ? 1u : 4u);
    }
}

TEST_F(Scheduling, does_not_wait_for_a_prefix_of_another_scope) {
    submit(spec(kA, numbers(0, 16)));
    SequenceSpec salted = spec(kB, numbers(0, 16));
    salted.scope.salt = "salt";
    submit(salted);
    EXPECT_EQ(count(step(), kB), 16u);
    EXPECT_EQ(scheduler().stats().shared_waits, 0u);
}

TEST_F(Scheduling, keeps_the_blocks_that_a_prompt_begun_will_need) {
    kv_.blocks = 20;
    config_.watermark_permille = 0;
    submit(spec(kA, numbers(0, 72), 1));    // 18 blocks, of which its first chunk takes 4
    submit(spec(kB, numbers(100, 16), 1));  // 4 blocks: free now, but promised
    EXPECT_EQ(count(step(), kB), 0u);
    run_until_idle();
    EXPECT_EQ(ended_, (std::vector{kA, kB}));
    EXPECT_EQ(scheduler().stats().preemptions, 0u);
}

// --- order --------------------------------------------------------------------------------------

class Ordering : public Scheduling {
  protected:
    Ordering() { config_.max_running = 1; }

    std::vector<SequenceId> order_of_ends() {
        run_until_idle();
        return ended_;
    }
};

TEST_F(Ordering, goes_by_class_then_deadline_then_arrival) {
    for (const auto& [id, priority, deadline_ms] :
         {std::tuple{kA, 1, 0}, {kB, 0, 0}, {kC, 0, 5'000}, {SequenceId{4}, 0, 4'000}}) {
        SequenceSpec one = spec(id, numbers(uint32_t(raw(id)) * 100, 8), 2);
        one.priority = priority;
        if (deadline_ms > 0) one.deadline = now_ + Duration::milliseconds(deadline_ms);
        submit(one);
    }
    EXPECT_EQ(order_of_ends(), (std::vector{SequenceId{4}, kC, kB, kA}));
}

TEST_F(Ordering, gives_tenants_equal_tokens_not_equal_queues) {
    for (uint64_t i = 0; i < 12; ++i) {  // tenant 1 queued eleven before tenant 2 came
        SequenceSpec one = spec(SequenceId{i}, numbers(uint32_t(i) * 100, 8), 2);
        one.tenant = TenantId{i < 11 ? 1u : 2u};
        submit(one);
    }
    const auto order = order_of_ends();
    EXPECT_LE(std::ranges::find(order, SequenceId{11}) - order.begin(), 1);
}

TEST_F(Ordering, lets_ageing_carry_a_low_class_past_a_stream_of_high_ones) {
    config_.ageing = Duration::milliseconds(100);
    SequenceSpec low = spec(kA, numbers(0, 8), 1);
    low.priority = 5;
    submit(low);
    uint64_t next = 10;
    int steps = 0;
    while (ended_.empty() || std::ranges::count(ended_, kA) == 0) {
        ASSERT_LT(++steps, 60) << "5 classes of 100 ms, in steps of 10 ms";
        if (scheduler().stats().waiting < 3) submit(spec(SequenceId{next++}, numbers(500, 8), 1));
        step();
    }
    EXPECT_GE(steps, 50) << "not before its time either";
}

TEST_F(Scheduling, preempts_the_least_important_and_resumes_it_with_its_tokens) {
    kv_.blocks = 10;
    config_.watermark_permille = 0;
    SequenceSpec important = spec(kA, numbers(0, 16), 20);
    SequenceSpec other = spec(kB, numbers(100, 15), 10);
    important.priority = 1;
    other.priority = 2;
    submit(other);
    submit(important);
    std::vector<SequenceId> preempted;
    size_t kept = 0;
    while (preempted.empty() && !scheduler().idle()) {
        const auto before = scheduler().contains(kB) ? scheduler().tokens(kB).size() : 0;
        preempted = step().preempted;
        if (!preempted.empty()) kept = before;
    }
    EXPECT_EQ(preempted, std::vector{kB});
    ASSERT_TRUE(scheduler().contains(kB));
    EXPECT_EQ(scheduler().tokens(kB).size(), kept);
    EXPECT_GT(kept, 15u);
    submit(spec(kC, numbers(200, 4), 1));  // class 0, but small: it may pass, B is not lost
    run_until_idle();
    EXPECT_EQ(ended_.size(), 3u);
    EXPECT_GE(scheduler().stats().preemptions, 1u);
}

TEST_F(Scheduling, resumes_a_preempted_one_before_fresh_ones_of_its_class_however_old) {
    kv_.blocks = 10;
    config_.watermark_permille = 0;
    config_.ageing = Duration::milliseconds(20);
    submit(spec(kA, numbers(0, 16), 20));
    submit(spec(kB, numbers(100, 15), 20));
    submit(spec(kC, numbers(200, 20), 4));  // waits from the first step on
    for (int i = 0; i < 200 && scheduler().stats().preemptions == 0; ++i)
        step();
    ASSERT_EQ(scheduler().stats().preemptions, 1u);
    run_until_idle();
    EXPECT_EQ(ended_, (std::vector{kA, kB, kC}));
}

TEST_F(Scheduling, admits_nothing_in_a_step_that_preempted) {
    kv_.blocks = 8;
    config_.watermark_permille = 0;
    submit(spec(kA, numbers(0, 15), 16));
    submit(spec(kB, numbers(100, 15), 16));
    submit(spec(kC, numbers(200, 1), 1));
    for (int i = 0; i < 100 && !scheduler().idle(); ++i) {
        const uint64_t begun =
            scheduler().kv().stats().queries + scheduler().kv().stats().resumed_queries;
        const Plan plan = step();
        const uint64_t now_begun =
            scheduler().kv().stats().queries + scheduler().kv().stats().resumed_queries;
        if (!plan.preempted.empty()) EXPECT_EQ(begun, now_begun);
    }
    EXPECT_TRUE(scheduler().idle());
    EXPECT_GT(scheduler().stats().preemptions, 0u);
}

// --- life of a sequence -------------------------------------------------------------------------

TEST_F(Scheduling, forks_share_the_prompt_and_go_their_own_ways) {
    SequenceSpec three = spec(kA, numbers(0, 6), 3);
    three.forks = {kB, kC};
    submit(three);
    const Plan first = step();
    ASSERT_EQ(first.chunks.size(), 1u);
    EXPECT_EQ(first.chunks[0].forks, 2u);
    EXPECT_EQ(scheduler().kv().held_blocks(), 2u);
    EXPECT_EQ(scheduler().tokens(kA).back(), TokenId{7});
    EXPECT_EQ(scheduler().tokens(kC).back(), TokenId{8});
    const Plan second = step();
    EXPECT_EQ(second.chunks.size(), 3u);
    EXPECT_EQ(second.copies.size(), 2u) << "one of the three keeps the shared block";
    run_until_idle();
    EXPECT_EQ(ended_, (std::vector{kA, kB, kC}));
}

TEST_F(Scheduling, cancels_a_fork_that_is_not_born_or_all_with_the_parent) {
    SequenceSpec three = spec(kA, numbers(0, 6), 3);
    three.forks = {kB, kC};
    submit(three);
    scheduler().cancel(kB);
    EXPECT_EQ(step().chunks.at(0).forks, 1u);
    EXPECT_FALSE(scheduler().contains(kB));
    EXPECT_TRUE(scheduler().contains(kC));
    scheduler().cancel(kA);
    scheduler().cancel(kC);
    EXPECT_TRUE(scheduler().idle());
    EXPECT_EQ(scheduler().kv().held_blocks(), 0u);

    submit(three);
    scheduler().cancel(kA);
    EXPECT_TRUE(scheduler().idle());
    EXPECT_TRUE(step().empty());
    EXPECT_EQ(scheduler().stats().cancelled, 6u);
}

TEST_F(Scheduling, drops_the_token_of_a_sequence_cancelled_while_it_was_computed) {
    submit(spec(kA, numbers(0, 6)));
    submit(spec(kB, numbers(100, 6)));
    now_ = now_ + Duration::milliseconds(1);
    const Plan plan = scheduler().plan(now_);
    scheduler().cancel(kA);
    EXPECT_EQ(scheduler().kv().held_blocks(), 2u) << "its blocks are free at once";
    const auto finished =
        scheduler().commit(plan, {{{kA, TokenId{1}, true}, {kB, TokenId{2}, true}}}, now_);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].sequence, kB);
    EXPECT_EQ(finished[0].reason, Finish::stop);
}

TEST_F(Ordering, expires_what_did_not_begin_in_time_and_nothing_that_did) {
    SequenceSpec first = spec(kA, numbers(0, 8), 20);
    SequenceSpec second = spec(kB, numbers(100, 8), 20);
    first.deadline = second.deadline = now_ + Duration::milliseconds(50);
    submit(first);
    submit(second);
    std::vector<SequenceId> expired;
    while (!scheduler().idle()) {
        const Plan plan = step();
        expired.insert(expired.end(), plan.expired.begin(), plan.expired.end());
    }
    EXPECT_EQ(expired, std::vector{kB});
    EXPECT_EQ(ended_, std::vector{kA});
}

TEST_F(Scheduling, reports_a_stall_only_while_there_is_work) {
    config_.watchdog = Duration::milliseconds(100);
    const auto later = [&](int64_t ms) { return now_ + Duration::milliseconds(ms); };
    EXPECT_FALSE(scheduler().stalled(later(1'000)));
    submit(spec(kA, numbers(0, 8)));
    EXPECT_FALSE(scheduler().stalled(later(100)));
    EXPECT_TRUE(scheduler().stalled(later(101)));
    step();
    EXPECT_FALSE(scheduler().stalled(later(100)));
    scheduler().cancel(kA);
    EXPECT_FALSE(scheduler().stalled(later(1'000)));
}

TEST_F(Scheduling, describes_who_runs_who_waits_and_for_whom) {
    submit(spec(kA, numbers(0, 100)));
    submit(spec(kB, numbers(0, 100)));
    step();
    const std::string text = scheduler().describe(now_);
    EXPECT_THAT(text, HasSubstr("running: 1\n  1: tenant 0, priority 0, computed 32 of 100"));
    EXPECT_THAT(text, HasSubstr("waiting: 1\n  2: "));
    EXPECT_THAT(text, HasSubstr("for 1 to compute 96"));
    EXPECT_THAT(scheduler().describe(now_, 0), HasSubstr("1 more"));
}

TEST(SchedulerDeathTest, insists_on_a_token_for_every_sequence_that_samples) {
    Scheduler scheduler({}, {.blocks = 8});
    SequenceSpec spec;
    spec.id = kA;
    spec.prompt = numbers(0, 3);
    spec.max_new_tokens = 1;
    scheduler.submit(spec, Instant()).value();
    const Plan plan = scheduler.plan(Instant());
    EXPECT_DEATH(static_cast<void>(scheduler.plan(Instant())), "not committed");
    EXPECT_DEATH(static_cast<void>(scheduler.commit(plan, {}, Instant())),
                 "no token for sequence 1");
}

}  // namespace
}  // namespace brigada
