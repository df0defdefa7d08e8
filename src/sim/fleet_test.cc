// Rolling updates, replicas that serve some models only, and drafts.
#include "sim/random_world.h"
#include "sim/simulate.h"

namespace brigada {
namespace {

using testing::HasSubstr;

Trace many_calls(uint32_t sessions, uint32_t output = 20) {
    Trace trace = empty_trace();
    for (uint32_t i = 0; i < sessions; ++i) {
        TraceSession session;
        session.start = Instant() + Duration::milliseconds(100 * i);
        for (uint32_t call = 0; call < 5; ++call)
            add_call(trace, session, call == 0 ? 0 : 4 + 4 * call, 64 + 32 * call, output,
                     Duration::seconds(2));
        trace.sessions.push_back(session);
    }
    return trace;
}

TEST(RollingUpdate, loses_no_call_where_others_take_them) {
    SimSetup setup = small_setup(3);
    setup.rollout =
        SimRollout{.at = Instant() + Duration::seconds(2), .restart = Duration::seconds(1)};
    setup.sample_every = Duration::milliseconds(100);
    setup.proves = true;
    const SimReport report = simulate(many_calls(20), setup).value();
    EXPECT_EQ(report.calls, 100u);
    EXPECT_EQ(report.retries, 0u);
    EXPECT_GT(report.rollout_s, 3);
    EXPECT_LT(report.rollout_s, 3 + 3 * 2);
    uint32_t least = 3;
    for (const SimSample& sample : report.series)
        least = std::min(least, sample.replicas);
    EXPECT_EQ(least, 2u) << "one at a time";
    EXPECT_LT(report.hit_rate, simulate(many_calls(20), small_setup(3)).value().hit_rate)
        << "they come back with empty caches";
}

TEST(RollingUpdate, cuts_off_what_takes_too_long) {
    SimSetup setup = small_setup(2);
    setup.rollout = SimRollout{.at = Instant() + Duration::milliseconds(500),
                               .restart = Duration::seconds(1),
                               .longest_drain = Duration::milliseconds(100)};
    const SimReport report = simulate(many_calls(4, 400), setup).value();
    EXPECT_EQ(report.calls, 20u);
    EXPECT_GT(report.retries, 0u) << "their answers were broken";
    EXPECT_NEAR(report.rollout_s, 2 * 1.1, 0.02);
}

TEST(RollingUpdate, beside_an_autoscaler_is_refused) {
    SimSetup setup = small_setup(2);
    setup.rollout.emplace();
    setup.autoscaler.emplace();
    EXPECT_THAT(simulate(many_calls(1), setup).error().message,
                HasSubstr("a rolling update beside an autoscaler"));
}

TEST(Pools, get_the_calls_of_their_models) {
    Trace trace = many_calls(6);
    for (uint32_t i = 3; i < 6; ++i)
        for (TraceCall& call : trace.sessions[i].calls)
            call.model = 1;
    SimSetup setup = small_setup(2);
    setup.replicas.front().models = {0};
    SimReplica small = setup.replicas.front();
    small.count = 1;
    small.models = {1};
    setup.replicas.push_back(small);
    setup.policy = "round-robin";
    setup.faults = {{Instant(), 2, FaultKind::lost}};
    const SimReport report = simulate(trace, setup).value();
    ASSERT_EQ(report.models.size(), 2u);
    EXPECT_EQ(report.models[0].calls, 15u);
    EXPECT_EQ(report.models[1].failed, 15u) << "nobody else serves it";
    EXPECT_EQ(report.utilisation.at(2), 0);
}

TEST(Pools, that_leave_a_model_out_are_refused) {
    Trace trace = many_calls(1);
    trace.sessions.front().calls.back().model = 1;
    SimSetup setup = small_setup();
    setup.replicas.front().models = {0};
    EXPECT_THAT(simulate(trace, setup).error().message,
                HasSubstr("no replica serves model 'small', which the trace asks for"));
    setup.replicas.front().models = {0, 7};
    EXPECT_THAT(simulate(trace, setup).error().message,
                HasSubstr("serves model 7; the trace has 2"));
}

TEST(Drafts, make_tokens_cheaper_by_how_many_are_right) {
    Trace trace = empty_trace();
    TraceSession session;
    add_call(trace, session, 0, 40, 101, Duration());
    trace.sessions.push_back(session);
    SimSetup setup = small_setup();
    setup.replicas.front().speculation = {3, 1, 0};
    const SimReport report = simulate(trace, setup).value();
    // 5 ms, 4 tokens of 0.1 ms, and 1 us for each token of context (41 to 140), for 4 tokens.
    EXPECT_NEAR(report.tpot_s.mean, (0.005 + 4e-4 + 90.5e-6) / 4, 1e-9);
    setup.replicas.front().speculation = {3, 0, 0};
    EXPECT_NEAR(simulate(trace, setup).value().tpot_s.mean, 0.005 + 4e-4 + 90.5e-6, 1e-9)
        << "drafts that are never right cost and bring nothing";
}

TEST(Drafts, read_prompts_as_fast_beside_those_who_answer) {
    Trace trace = empty_trace();
    TraceSession writer;
    add_call(trace, writer, 0, 40, 400, Duration());
    TraceSession reader;
    reader.start = Instant() + Duration::milliseconds(50);
    add_call(trace, reader, 0, 1'600, 1, Duration());
    trace.sessions = {writer, reader};
    SimSetup setup = small_setup();
    setup.replicas.front().scheduler.long_prefill_threshold = 48;
    const SimReport plain = simulate(trace, setup).value();
    setup.replicas.front().speculation = {1, 1, 0};
    const SimReport drafts = simulate(trace, setup).value();
    EXPECT_NEAR(drafts.ttft_s.max, plain.ttft_s.max, 0.05 * plain.ttft_s.max);
    EXPECT_LT(drafts.tpot_s.max, 0.7 * plain.tpot_s.max) << "two tokens a step beside each chunk";
}

}  // namespace
}  // namespace brigada
