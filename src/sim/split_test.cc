// Prefill and decode apart: one replica reads, another answers, a link between them.
#include "sim/random_world.h"
#include "sim/simulate.h"

namespace brigada {
namespace {

constexpr double kTokenBytes = 1'000;
constexpr double kBytesPerS = 1e7;
constexpr double kLatencyS = 0.002;

SimSetup split(uint32_t readers = 1, uint32_t others = 1) {
    SimSetup setup = small_setup(others);
    setup.replicas.front().kv_bytes_per_token = kTokenBytes;
    setup.replicas.front().role = ReplicaRole::decode;
    SimReplica reader = setup.replicas.front();
    reader.name = "reader";
    reader.count = readers;
    reader.role = ReplicaRole::prefill;
    setup.replicas.push_back(reader);
    setup.link = {.bytes_per_s = kBytesPerS, .latency = Duration::milliseconds(2)};
    return setup;
}

TraceSession session_of(Trace& trace, std::vector<std::array<uint32_t, 3>> calls, double start_s) {
    TraceSession session;  // keep, prompt, output
    session.start = Instant::at_ns(static_cast<int64_t>(start_s * 1e9));
    for (const auto& [keep, prompt, output] : calls)
        add_call(trace, session, keep, prompt, output, Duration::seconds(2));
    return session;
}

Trace one_session(std::vector<std::array<uint32_t, 3>> calls) {
    Trace trace = empty_trace();
    trace.sessions.push_back(session_of(trace, std::move(calls), 0));
    return trace;
}

/// 5 ms + tokens x 0.1 ms + context x 1 us.
double step_s(uint32_t tokens, uint32_t context) {
    return 0.005 + tokens * 1e-4 + context * 1e-6;
}

TEST(Split, a_prompt_is_read_sent_and_answered) {
    const SimReport report = simulate(one_session({{0, 100, 3}}), split()).value();
    const double read = step_s(64, 64) + step_s(36, 100);
    const double sent = kLatencyS + 100 * kTokenBytes / kBytesPerS;
    EXPECT_NEAR(report.ttft_s.mean, read + sent + step_s(1, 100), 1e-9);
    EXPECT_NEAR(report.tpot_s.mean, (step_s(1, 101) + step_s(1, 102)) / 2, 1e-9);
    ASSERT_TRUE(report.transfers);
    EXPECT_EQ(report.transfers->calls, 1u);
    EXPECT_EQ(report.transfers->bytes, 100'000u);
    EXPECT_NEAR(report.transfers->transfer_s.mean, sent, 1e-9);
    EXPECT_GT(report.transfers->readers_busy, 0);
}

TEST(Split, what_is_there_from_the_turn_before_is_not_sent_again) {
    const SimReport report = simulate(one_session({{0, 100, 60}, {12, 170, 8}}), split()).value();
    EXPECT_EQ(report.transfers->calls, 2u);
    EXPECT_EQ(report.transfers->bytes, (100 + 170 - 152) * 1'000u)
        << "152 tokens, prompt and answer, were there";
    EXPECT_EQ(report.positions.at(1).cached_tokens, 96u) << "the reader has no answers";
}

TEST(Split, short_additions_may_be_read_where_they_are_answered) {
    SimSetup setup = split();
    setup.link.local_tokens = 20;
    const SimReport report = simulate(one_session({{0, 100, 60}, {12, 170, 8}}), setup).value();
    EXPECT_EQ(report.transfers->calls, 1u);
    EXPECT_EQ(report.transfers->local_calls, 1u);
    EXPECT_EQ(report.transfers->bytes, 100'000u);
    EXPECT_EQ(report.positions.at(1).cached_tokens, 152u);
}

TEST(Split, who_is_answered_does_not_wait_for_who_is_read) {
    const Trace alone = one_session({{0, 40, 200}});
    Trace trace = alone;
    trace.sessions.push_back(session_of(trace, {{0, 1'500, 2}}, 0.2));
    trace.sessions.back().tenant = 1;
    const auto tpot_of_first = [](const SimReport& report) {
        return report.tenants.at(0).tpot_s.mean;
    };
    const SimReport mixed = simulate(trace, small_setup()).value();
    const SimReport apart = simulate(trace, split()).value();
    EXPECT_GT(tpot_of_first(mixed), 1.15 * tpot_of_first(simulate(alone, small_setup()).value()));
    EXPECT_NEAR(tpot_of_first(apart), tpot_of_first(simulate(alone, split()).value()), 6e-5)
        << "two tokens of the other are answered beside it";
}

TEST(Split, transfers_of_one_replica_wait_for_each_other) {
    Trace trace = empty_trace();
    for (int i = 0; i < 4; ++i)
        trace.sessions.push_back(session_of(trace, {{0, 60, 2}}, 0));
    SimSetup setup = split(4, 1);
    setup.policy = "round-robin";
    const SimReport report = simulate(trace, setup).value();
    const double alone = 60 * kTokenBytes / kBytesPerS;
    EXPECT_NEAR(report.transfers->transfer_s.max, kLatencyS + 4 * alone, 1e-9);
}

TEST(Split, a_reader_or_an_answerer_that_is_lost_costs_no_call) {
    for (const uint32_t lost : {0u, 1u, 2u, 3u}) {
        SCOPED_TRACE(lost);
        Trace trace = empty_trace();
        for (int i = 0; i < 12; ++i)
            trace.sessions.push_back(
                session_of(trace, {{0, 300, 9}, {37, 330, 9}, {41, 360, 9}}, 0.01 * i));
        SimSetup setup = split(2, 2);
        setup.faults = {{Instant() + Duration::milliseconds(100), lost, FaultKind::lost},
                        {Instant() + Duration::milliseconds(900), lost, FaultKind::back}};
        setup.proves = true;
        const SimReport report = simulate(trace, setup).value();
        EXPECT_EQ(report.calls, 36u);
    }
}

TEST(Split, that_cannot_be_is_refused) {
    const auto refused = [](auto change) {
        SimSetup setup = split();
        change(setup);
        return simulate(one_session({{0, 100, 3}}), setup).error().message;
    };
    EXPECT_THAT(refused([](SimSetup& s) { s.replicas.pop_back(); }),
                testing::HasSubstr("there are 0 kinds, of replicas that answer them 1"));
    EXPECT_THAT(refused([](SimSetup& s) { s.link.bytes_per_s = 0; }),
                testing::HasSubstr("the link moves 0 bytes a second"));
    EXPECT_THAT(refused([](SimSetup& s) { s.replicas[1].kv_bytes_per_token = 0; }),
                testing::HasSubstr("'reader': kv_bytes_per_token is 0"));
    EXPECT_THAT(refused([](SimSetup& s) { s.autoscaler.emplace(); }),
                testing::HasSubstr("an autoscaler does not know"));
}

}  // namespace
}  // namespace brigada
