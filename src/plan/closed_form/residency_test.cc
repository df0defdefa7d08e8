#include "plan/closed_form/residency.h"

#include <gtest/gtest.h>

#include "plan/workload.h"

namespace brigada {
namespace {

/// What was measured by dropping KV idle for longer than so many seconds (agent_stats.json): the
/// gaps of the people drawn from it give it within two and a half points.
TEST(Residency, gaps_explain_the_measured_reuse_of_claude_code) {
    const Workload workload = *find_workload("claude-code");
    const CacheLoad load{.workload = workload, .sessions = 1, .session_tokens = 1};
    const struct {
        double age_s, measured;
    } points[] = {{30, 0.6961},  {60, 0.7736},   {120, 0.8352}, {300, 0.8963},
                  {600, 0.9225}, {1800, 0.9479}, {3600, 0.9584}};
    for (const auto& point : points)
        EXPECT_NEAR(workload.reuse * found_within(load, point.age_s), point.measured, 0.025)
            << point.age_s;
}

TEST(Residency, the_room_is_full_at_the_age_of_eviction) {
    const Workload workload = *find_workload("claude-code");
    const CacheLoad load{.workload = workload,
                         .sessions = 40,
                         .session_tokens = 120'000,
                         .answer_s = 12,
                         .held_s = 12};
    for (const double room : {7e5, 1e6, 2e6, 4e6}) {
        const double age = eviction_age(load, room);
        EXPECT_NEAR(resident_tokens(load, age), room, 0.001 * room);
    }
    EXPECT_EQ(eviction_age(load, 1e12), kOldestAge);
}

TEST(Residency, more_room_and_fewer_sessions_keep_kv_longer) {
    const Workload workload = *find_workload("agentx");
    double before = 0;
    for (const double room : {3e5, 6e5, 1.2e6, 2.4e6}) {
        const double age = eviction_age({.workload = workload,
                                         .sessions = 10,
                                         .session_tokens = 142'000,
                                         .answer_s = 5,
                                         .held_s = 5},
                                        room);
        EXPECT_GT(age, before);
        before = age;
    }
    EXPECT_LT(eviction_age({.workload = workload,
                            .sessions = 20,
                            .session_tokens = 142'000,
                            .answer_s = 5,
                            .held_s = 5},
                           2.4e6),
              before);
}

/// Absences end after half an hour, so many gaps are equally long.
TEST(Residency, nothing_hangs_on_the_last_second_of_many_equal_gaps) {
    Workload workload = *find_workload("claude-code");
    workload.gaps = {{0, 1}, {0.8, 60}, {0.8, 1'800}, {1, 1'800}};
    const CacheLoad load{.workload = workload, .sessions = 1, .session_tokens = 1};
    double before = found_within(load, 100);
    for (double age = 100; age < 10'000; age *= 1.01) {
        const double found = found_within(load, age);
        EXPECT_GE(found, before - 1e-9) << age;
        EXPECT_LT(found, before + 0.01) << age;
        before = found;
    }
    EXPECT_NEAR(before, 1, 1e-9);
}

TEST(Residency, without_affinity_little_is_found) {
    const Workload workload = *find_workload("claude-code");
    CacheLoad load{.workload = workload,
                   .sessions = 40,
                   .session_tokens = 120'000,
                   .answer_s = 10,
                   .held_s = 10};
    const double stays = found_within(load, 300);
    load.visits_every = 4;
    EXPECT_LT(found_within(load, 300), stays);
    EXPECT_LE(resident_tokens(load, 60), 40 * 120'000 * 1.01);
}

}  // namespace
}  // namespace brigada
