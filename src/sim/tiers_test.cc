// What lies in host RAM and on disk is loaded instead of being read, when that is faster.
#include "sim/random_world.h"
#include "sim/simulate.h"

namespace brigada {
namespace {

constexpr double kTokenBytes = 1'000;

/// Two sessions that do not fit into the replica's KV together: ada's second call, which adds 16
/// tokens to her 200, comes when bob has had all of it.
Trace two_who_push_each_other_out() {
    Trace trace = empty_trace();
    TraceSession ada;
    add_call(trace, ada, 0, 200, 1, Duration());
    add_call(trace, ada, 25, 216, 1, Duration::seconds(10));
    TraceSession bob;
    bob.start = Instant() + Duration::seconds(5);
    add_call(trace, bob, 0, 224, 1, Duration());
    trace.sessions = {ada, bob};
    return trace;
}

SimSetup with_tiers(const SimTiers& tiers) {
    SimSetup setup = small_setup(1, 29 * kTestBlock);
    setup.replicas.front().kv_bytes_per_token = kTokenBytes;
    setup.replicas.front().tiers = tiers;
    return setup;
}

SimReport run(const SimTiers& tiers) {
    return simulate(two_who_push_each_other_out(), with_tiers(tiers)).value();
}

/// Of chunks of at most 64 tokens: 5 ms + tokens x 0.1 ms + context x 1 us each.
double reading_s(uint32_t first, uint32_t last) {
    double sum = 0;
    for (uint32_t at = first; at < last; at += 64) {
        const uint32_t end = std::min(at + 64, last);
        sum += 0.005 + (end - at) * 1e-4 + end * 1e-6;
    }
    return sum;
}

double second_ttft(const SimReport& report) {
    return report.positions.at(1).ttft_s.mean;
}

TEST(Tiers, without_any_what_was_evicted_is_read_again) {
    const SimReport report = run({});
    EXPECT_FALSE(report.tiers);
    EXPECT_EQ(report.reread_tokens, 200u - 8u) << "bob left one block of hers";
    EXPECT_NEAR(second_ttft(report), reading_s(8, 216), 1e-9);
}

TEST(Tiers, what_lies_in_ram_is_loaded_and_the_rest_is_read) {
    const SimReport report = run({.ram_bytes = 1'000'000, .ram_bytes_per_s = 1e8});
    ASSERT_TRUE(report.tiers);
    EXPECT_EQ(report.tiers->loads, 1u);
    EXPECT_EQ(report.tiers->own_tokens, 8u);
    EXPECT_EQ(report.tiers->ram_tokens, 192u);
    EXPECT_EQ(report.tiers->disk_tokens, 0u);
    EXPECT_EQ(report.tiers->bytes_from_ram, 192'000u);
    EXPECT_EQ(report.positions.at(1).cached_tokens, 200u);
    EXPECT_EQ(report.reread_tokens, 0u);
    EXPECT_NEAR(second_ttft(report), 192e3 / 1e8 + reading_s(200, 216), 1e-9);
}

TEST(Tiers, what_comes_from_disk_takes_its_time) {
    const SimReport report =
        run({.disk_bytes = 1'000'000, .ram_bytes_per_s = 1e8, .disk_bytes_per_s = 2e7});
    ASSERT_TRUE(report.tiers);
    EXPECT_EQ(report.tiers->disk_tokens, 192u);
    EXPECT_EQ(report.tiers->bytes_from_disk, 192'000u);
    EXPECT_EQ(report.tiers->bytes_to_ram, 0u) << "there is none";
    EXPECT_NEAR(second_ttft(report), 192e3 / 2e7 + reading_s(200, 216), 1e-9);
}

TEST(Tiers, what_would_take_longer_than_reading_is_read) {
    const SimReport report = run({.ram_bytes = 1'000'000, .ram_bytes_per_s = 1e6});
    ASSERT_TRUE(report.tiers);
    EXPECT_EQ(report.tiers->loads, 0u);
    EXPECT_EQ(report.tiers->bytes_from_ram, 0u);
    EXPECT_GT(report.tiers->bytes_to_ram, 0u);
    EXPECT_NEAR(second_ttft(report), reading_s(8, 216), 1e-9);
}

TEST(Tiers, a_full_ram_hands_down_to_the_disk) {
    const SimReport report = run({.ram_bytes = 80'000,
                                  .disk_bytes = 1'000'000,
                                  .ram_bytes_per_s = 1e8,
                                  .disk_bytes_per_s = 5e7});
    ASSERT_TRUE(report.tiers);
    EXPECT_EQ(report.tiers->ram_tokens, 80u) << "the beginning of her prompt, which went last";
    EXPECT_EQ(report.tiers->disk_tokens, 112u);
    EXPECT_NEAR(second_ttft(report), 112e3 / 5e7 + reading_s(200, 216), 1e-9);
}

TEST(Tiers, one_load_waits_for_another_on_the_same_bus) {
    Trace trace = empty_trace();
    for (int i = 0; i < 2; ++i) {  // whose second calls come in the same instant
        TraceSession session;
        session.start = Instant() + Duration::seconds(i);
        add_call(trace, session, 0, 200, 1, Duration());
        add_call(trace, session, 25, 216, 1, Duration::seconds(10 - i));
        trace.sessions.push_back(session);
    }
    TraceSession eve;
    eve.start = Instant() + Duration::seconds(5);
    add_call(trace, eve, 0, 470, 1, Duration());
    trace.sessions.push_back(eve);
    SimSetup setup = with_tiers({.ram_bytes = 1'000'000, .ram_bytes_per_s = 2e7});
    setup.replicas.front().kv_tokens = 60 * kTestBlock;
    const SimReport report = simulate(trace, setup).value();
    EXPECT_EQ(report.tiers->loads, 2u);
    const double alone = static_cast<double>(report.tiers->bytes_from_ram) / 2 / 2e7;
    EXPECT_NEAR(report.tiers->load_s.max, 2 * alone, 1e-9);
}

TEST(Tiers, a_replica_that_is_lost_takes_its_tiers_with_it) {
    SimSetup setup = with_tiers({.ram_bytes = 1'000'000});
    setup.faults = {{Instant() + Duration::seconds(7), 0, FaultKind::lost},
                    {Instant() + Duration::seconds(8), 0, FaultKind::back}};
    const SimReport report = simulate(two_who_push_each_other_out(), setup).value();
    EXPECT_EQ(report.calls, 3u);
    EXPECT_EQ(report.tiers->loads, 0u);
    EXPECT_GT(report.tiers->bytes_to_ram, 0u);
}

TEST(Tiers, that_cannot_be_are_refused) {
    const auto refused = [](auto change) {
        SimSetup setup = with_tiers({.ram_bytes = 1'000});
        change(setup.replicas.front());
        return simulate(two_who_push_each_other_out(), setup).error().message;
    };
    EXPECT_THAT(refused([](SimReplica& r) { r.kv_bytes_per_token = 0; }),
                testing::HasSubstr("kv_bytes_per_token is 0"));
    EXPECT_THAT(refused([](SimReplica& r) { r.tiers.ram_bytes_per_s = 0; }),
                testing::HasSubstr("both must be more than 0"));
}

}  // namespace
}  // namespace brigada
