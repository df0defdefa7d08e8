#include "sim/simulate.h"

#include "sim/random_world.h"

namespace brigada {
namespace {

using testing::HasSubstr;

SimReport run(const Trace& trace, const SimSetup& setup) {
    return simulate(trace, setup).value();
}

std::string bytes(const SimReport& report) {
    return dump_json(to_json(report));
}

Trace one_session(std::vector<std::array<uint32_t, 3>> calls) {  // keep, prompt, output
    Trace trace = empty_trace();
    TraceSession session;
    for (const auto& [keep, prompt, output] : calls)
        add_call(trace, session, keep, prompt, output, Duration::seconds(2));
    trace.sessions.push_back(std::move(session));
    return trace;
}

// --- what is known beforehand -------------------------------------------------------------------

// Steps take 5 ms and 0.1 ms a token; that of one sequence's second token ends at 16.2 ms.
TEST(Simulate, a_call_may_come_or_go_just_when_a_step_ends) {
    for (const bool comes : {true, false}) {
        Trace trace = empty_trace();
        SimSetup setup = small_setup();
        StepCoefficients c;
        c.comm_per_token = 1e-4;
        c.step_s = 5e-3;
        setup.replicas.front().cost = StepCost(c);
        TraceSession& first = trace.sessions.emplace_back();
        add_call(trace, first, 0, 10, 50, {});
        if (comes) {
            trace.sessions.emplace_back().start = Instant() + Duration::microseconds(16'200);
            add_call(trace, trace.sessions.back(), 0, 20, 5, {});
        } else {
            setup.clients.retries = 0;
            setup.clients.timeout = Duration::microseconds(16'200);
        }
        const SimReport at_once = simulate(trace, setup).value();
        setup.step_by_step = true;
        EXPECT_EQ(at_once.digest, simulate(trace, setup).value().digest);
        EXPECT_EQ(at_once.failed, comes ? 0u : 1u);
    }
}

TEST(Simulate, one_call_takes_what_its_steps_take) {
    const SimReport report = run(one_session({{0, 100, 3}}), small_setup());
    // Two chunks, 64 and 36 tokens: 5 ms + tokens x 0.1 ms + context x 1 us each.
    const double ttft = 0.005 + 0.0064 + 64e-6 + 0.005 + 0.0036 + 100e-6;
    const double decodes = 2 * (0.005 + 0.0001) + 101e-6 + 102e-6;
    EXPECT_EQ(report.calls, 1u);
    EXPECT_NEAR(report.ttft_s.mean, ttft, 1e-12);
    EXPECT_NEAR(report.tpot_s.mean, decodes / 2, 1e-12);
    EXPECT_NEAR(report.seconds, ttft + decodes, 1e-12);
    EXPECT_NEAR(report.utilisation.at(0), 1, 1e-12);
    EXPECT_NEAR(report.dollars, report.seconds, 1e-9);
}

TEST(Simulate, finds_prompt_and_answer_when_the_next_prompt_keeps_them) {
    const SimReport report = run(one_session({{0, 100, 60}, {12, 170, 8}}), small_setup());
    // Computed are 100 + 59 tokens: 19 full blocks of 8.
    EXPECT_NEAR(report.hit_rate, 152.0 / 270, 1e-12);
    EXPECT_EQ(report.positions.at(1).cached_tokens, 152u);
}

TEST(Simulate, finds_only_what_is_kept_when_the_answer_is_not) {
    EXPECT_NEAR(run(one_session({{0, 100, 60}, {10, 170, 8}}), small_setup()).hit_rate, 80.0 / 270,
                1e-12);
    EXPECT_NEAR(run(one_session({{0, 100, 60}, {12, 130, 8}}), small_setup()).hit_rate, 96.0 / 230,
                1e-12);
}

TEST(Simulate, a_gap_begins_when_the_answer_ended) {
    const SimReport report = run(one_session({{0, 64, 1}, {8, 72, 1}}), small_setup());
    EXPECT_NEAR(report.seconds, 2 + report.call_s.mean * 2, 1e-9);
    EXPECT_EQ(report.turn_s.count, 2u) << "both calls are the user's";
}

TEST(Simulate, a_parent_waits_for_its_sub_agents) {
    Trace trace = one_session({{0, 64, 1}, {8, 72, 1}});
    TraceSession child;
    child.start = Instant() + Duration::seconds(5);
    child.parent = ParentCall{0, 0};
    add_call(trace, child, 0, 64, 1, Duration());
    trace.sessions.push_back(child);
    const SimReport report = run(trace, small_setup());
    EXPECT_EQ(report.calls, 3u);
    EXPECT_NEAR(report.seconds, 5 + 2 + report.call_s.mean * 3, 1e-9);
    EXPECT_EQ(report.turn_s.count, 2u) << "a sub-agent's calls are part of its parent's turn";
}

TEST(Simulate, what_agents_share_outlives_a_flood_unless_the_cache_knows_recency_alone) {
    Trace trace = empty_trace();
    trace.names = 3;  // of the system prompt
    for (const uint32_t second : {0, 1, 10, 15, 20}) {
        TraceSession& session = trace.sessions.emplace_back();
        session.start = Instant() + Duration::seconds(second);
        const bool floods = second == 10 || second == 15;
        add_call(trace, session, floods ? 0 : 3, floods ? 960 : 64, 9, {});
        if (floods) continue;
        session.calls.back().keep_blocks = 0;
        session.calls.back().added.insert(session.calls.back().added.begin(), {0, 3});
    }
    SimSetup setup = small_setup(1, 1'024);
    EXPECT_EQ(run(trace, setup).positions.at(0).cached_tokens, 2 * 3 * kTestBlock);
    setup.replicas.front().retention = RetentionPolicy::lru;
    EXPECT_EQ(run(trace, setup).positions.at(0).cached_tokens, 3 * kTestBlock);
}

TEST(Simulate, a_replica_that_is_lost_takes_its_cache_with_it) {
    SimSetup setup = small_setup();
    const Trace trace = one_session({{0, 200, 9}, {25, 216, 9}, {27, 232, 9}});
    const SimReport kept = run(trace, setup);
    setup.faults = {{Instant() + Duration::milliseconds(1'000), 0, FaultKind::lost},
                    {Instant() + Duration::milliseconds(1'500), 0, FaultKind::back}};
    const SimReport lost = run(trace, setup);
    EXPECT_EQ(lost.calls, 3u);
    EXPECT_EQ(kept.positions.at(1).cached_tokens, 208u);
    EXPECT_EQ(lost.positions.at(1).cached_tokens, 0u);
    EXPECT_EQ(lost.positions.at(2).cached_tokens, kept.positions.at(2).cached_tokens);
    EXPECT_EQ(lost.misses.at(size_t(MissCause::restarted)).calls, 1u);
}

TEST(Simulate, a_client_whose_answer_broke_comes_back_and_gives_up_after_its_tries) {
    SimSetup setup = small_setup(1);
    setup.faults = {{Instant() + Duration::milliseconds(30), 0, FaultKind::lost}};
    const SimReport report = run(one_session({{0, 64, 50}}), setup);
    EXPECT_EQ(report.failed, 1u);
    EXPECT_EQ(report.retries, 2u);
    setup.faults.push_back({Instant() + Duration::milliseconds(100), 0, FaultKind::back});
    const SimReport back = run(one_session({{0, 64, 50}}), setup);
    EXPECT_EQ(back.calls, 1u);
    EXPECT_EQ(back.retries, 1u);
    EXPECT_GT(back.ttft_s.mean, 0.03 + 0.375) << "half a second, less a quarter by chance";
}

TEST(Simulate, a_drained_replica_gets_no_more_calls) {
    SimSetup setup = small_setup(2);
    setup.policy = "round-robin";
    setup.faults = {{Instant(), 1, FaultKind::drained}};
    Rng rng(3);
    const SimReport report = run(random_trace(rng), setup);
    EXPECT_GT(report.calls, 0u);
    EXPECT_EQ(report.failed, 0u);
    EXPECT_GT(report.utilisation.at(0), 0);
    EXPECT_EQ(report.utilisation.at(1), 0);
}

TEST(Simulate, the_gateways_queue_lets_in_no_more_than_it_has_slots) {
    SimSetup setup = small_setup();
    Trace trace = empty_trace();
    for (uint32_t i = 0; i < 12; ++i) {
        TraceSession session;
        session.tenant = i % 3;
        add_call(trace, session, 0, 64, 20, Duration());
        trace.sessions.push_back(session);
    }
    const SimReport open = run(trace, setup);
    setup.admission.emplace().queue.slots = 2;
    setup.admission->classes = {PriorityClass::guaranteed, PriorityClass::standard,
                                PriorityClass::batch};
    const SimReport queued = run(trace, setup);
    EXPECT_EQ(open.calls, 12u);
    EXPECT_EQ(queued.calls, 12u);
    EXPECT_GT(queued.seconds, open.seconds);
    EXPECT_LT(queued.classes.at(0).call_s.mean, queued.classes.at(2).call_s.mean);
}

TEST(Simulate, an_autoscaler_adds_replicas_after_its_lag_and_pays_for_no_more) {
    SimSetup setup = small_setup(4);
    setup.autoscaler = SimAutoscaler{.calls_up = 2,
                                     .calls_down = 1,
                                     .every = Duration::milliseconds(100),
                                     .lag = Duration::milliseconds(500)};
    setup.sample_every = Duration::milliseconds(100);
    Trace trace = empty_trace();
    for (uint32_t i = 0; i < 40; ++i) {
        TraceSession session;
        session.start = Instant() + Duration::milliseconds(i * 50);
        add_call(trace, session, 0, 64, 200, Duration());
        trace.sessions.push_back(session);
    }
    const SimReport report = run(trace, setup);
    EXPECT_EQ(report.calls, 40u);
    EXPECT_EQ(report.series.at(0).replicas, 1u);
    uint32_t most = 0;
    for (const SimSample& sample : report.series)
        most = std::max(most, sample.replicas);
    EXPECT_GT(most, 1u);
    EXPECT_LT(report.dollars, 4 * report.seconds);
    EXPECT_GT(report.dollars, report.seconds);
}

// --- for every setup ----------------------------------------------------------------------------

TEST(Simulate, many_steps_at_once_decide_what_single_steps_decide) {
    uint64_t preemptions = 0;
    uint64_t retries = 0;
    uint64_t loads = 0;
    for (uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Rng rng(seed);
        const Trace trace = random_trace(rng);
        SimSetup setup = random_setup(rng);
        setup.sample_every = Duration();  // between steps a sample is of what is planned
        const SimReport at_once = run(trace, setup);
        setup.step_by_step = true;
        SimReport single = run(trace, setup);
        single.kv_held_p50 = at_once.kv_held_p50;  // looked at when steps end, so less often
        single.kv_held_max = at_once.kv_held_max;
        ASSERT_EQ(bytes(at_once), bytes(single));
        preemptions += at_once.preemptions;
        if (at_once.tiers) loads += at_once.tiers->loads;
        retries += at_once.retries;
    }
    EXPECT_GT(loads, 50u);
    EXPECT_GT(preemptions, 20u);
    EXPECT_GT(retries, 50u);
}

TEST(Simulate, the_books_hold_after_every_event_whatever_goes_wrong) {
    uint64_t interrupted = 0;
    uint64_t over_limits = 0;
    uint64_t rolled = 0;
    for (uint64_t seed = 1'000; seed < 1'060; ++seed) {
        SCOPED_TRACE(testing::Message()
                     << "replay: sim_test --gtest_filter=*whatever_goes_wrong, seed " << seed);
        Rng rng(seed);
        const Trace trace = random_trace(rng);
        SimSetup setup = random_setup(rng);
        setup.proves = true;
        const SimReport report = run(trace, setup);
        ASSERT_EQ(report.calls + report.failed + report.interrupted + report.skipped, trace.calls())
            << "every call comes to an end";
        interrupted += report.interrupted;
        over_limits += report.over_limits;
        rolled += report.rollout_s > 0 ? 1 : 0;
    }
    EXPECT_GT(interrupted, 20u);
    EXPECT_GT(over_limits, 20u);
    EXPECT_GT(rolled, 5u);
}

TEST(Simulate, the_same_setup_gives_the_same_bytes) {
    Rng rng(5);
    const Trace trace = random_trace(rng);
    SimSetup setup = random_setup(rng);
    const SimReport once = run(trace, setup);
    EXPECT_EQ(bytes(once), bytes(run(trace, setup)));
    setup.policy = setup.policy == "session" ? "round-robin" : "session";
    setup.replicas.front().count = 3;
    EXPECT_NE(once.digest, run(trace, setup).digest);
}

TEST(Simulate, says_what_is_wrong_in_a_setup) {
    const Trace trace = one_session({{0, 64, 1}});
    const auto refused = [&](auto change) {
        SimSetup setup = small_setup();
        change(setup);
        return simulate(trace, setup).error().message;
    };
    EXPECT_THAT(refused([](SimSetup& s) { s.replicas.clear(); }), HasSubstr("no replicas"));
    EXPECT_THAT(refused([](SimSetup& s) { s.policy = "best"; }),
                HasSubstr("no routing policy 'best'; there are session, least-busy"));
    EXPECT_THAT(refused([](SimSetup& s) { s.replicas[0].kv_tokens = 8; }),
                HasSubstr("replica kind 'small': kv_tokens is 8; at least 2 blocks of 8"));
    EXPECT_THAT(refused([](SimSetup& s) { s.replicas[0].cost = StepCost(); }),
                HasSubstr("a step takes no time"));
    EXPECT_THAT(refused([](SimSetup& s) { s.faults = {{Instant(), 1, FaultKind::lost}}; }),
                HasSubstr("a fault at replica 1; there are 1"));
    EXPECT_THAT(refused([](SimSetup& s) { s.autoscaler = SimAutoscaler{.least = 2}; }),
                HasSubstr("keeps 2 replicas; 1 to 1 works"));
}

TEST(Percentiles, are_those_of_numpy) {
    // numpy.percentile([4, 1, 3, 2, 10], [50, 90, 95, 99])
    const Percentiles p = percentiles_of({4, 1, 3, 2, 10});
    EXPECT_EQ(p.count, 5u);
    EXPECT_DOUBLE_EQ(p.mean, 4);
    EXPECT_DOUBLE_EQ(p.p50, 3);
    EXPECT_DOUBLE_EQ(p.p90, 7.6);
    EXPECT_DOUBLE_EQ(p.p95, 8.8);
    EXPECT_DOUBLE_EQ(p.p99, 9.76);
    EXPECT_DOUBLE_EQ(p.max, 10);
    EXPECT_EQ(percentiles_of({}), Percentiles());
}

}  // namespace
}  // namespace brigada
