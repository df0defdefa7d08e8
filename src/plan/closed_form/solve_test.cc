#include "plan/closed_form/solve.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "plan/closed_form/answer_time.h"
#include "plan/closed_form/percentiles.h"
#include "plan/plan_test_parts.h"

namespace brigada {
namespace {

TEST(Solve, littles_law_holds_at_the_answer_time_it_finds) {
    const Situation situation = roomy_situation();
    const FleetFigures figures = solve(situation);
    EXPECT_NEAR(figures.calls_per_s * (figures.think_s + figures.call_s), figures.sequences,
                1e-6 * figures.sequences);
    EXPECT_NEAR(figures.running, figures.calls_per_s * figures.call_s, 1e-9);
    double share = 0;
    for (const PromptReading* reading : figures.readings.all())
        share += reading->share;
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_FALSE(figures.saturated);
}

TEST(Solve, with_an_endless_cache_the_hit_rate_is_the_measured_reuse) {
    Situation situation = roomy_situation();
    situation.workload.gaps = {{0, 1}, {1, 60}};  // nobody goes away
    EXPECT_NEAR(solve(situation).hit_rate, situation.workload.reuse, 1e-6);
}

/// Sessions of two or three calls: every third call and more is somebody's first, and reads less
/// than one that goes on.
TEST(Solve, short_sessions_begin_often_and_find_what_all_share) {
    Situation situation = roomy_situation();
    situation.workload = *find_workload("chat");
    EXPECT_LT(fresh_tokens(situation.workload), situation.workload.new_tokens);
    EXPECT_NEAR(fresh_share(situation.workload), 0.4, 0.06);
    EXPECT_GT(repeating_tokens(situation.workload), situation.workload.prompt_tokens);
    situation.people = 300;
    situation.memory.blocks = 2'000;  // nothing stays
    const FleetFigures figures = solve(situation);
    const double shared = situation.workload.shared_tokens / situation.workload.prompt_tokens;
    EXPECT_GT(figures.hit_rate, shared);
    EXPECT_LT(figures.hit_rate, shared + 0.15);
}

TEST(Solve, more_people_are_never_answered_sooner_and_more_replicas_never_later) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Situation situation = roomy_situation();
        situation.memory.blocks = 20'000 + rng.below(200'000);
        situation.people = 1 + rng.uniform() * 60;
        situation.replicas = 1 + static_cast<uint32_t>(rng.below(4));
        const FleetFigures before = solve(situation);
        Situation crowded = situation;
        crowded.people *= 1.5;
        EXPECT_GE(solve(crowded).call_s, 0.999 * before.call_s);
        Situation wider = situation;
        ++wider.replicas;
        EXPECT_LE(solve(wider).call_s, 1.001 * before.call_s);
        EXPECT_GE(solve(wider).hit_rate, before.hit_rate - 0.01);  // they ask more often, too
    }
}

TEST(Solve, a_tier_finds_what_memory_lost) {
    Situation situation = roomy_situation();
    situation.memory.blocks = 60'000;
    situation.people = 40;
    const FleetFigures without = solve(situation);
    situation.tiers.ram_bytes = 1024 * kTestGiB;
    const FleetFigures with = solve(situation);
    EXPECT_GT(with.tier_age_s, with.eviction_age_s);
    EXPECT_GT(with.hit_rate, without.hit_rate);
    EXPECT_LT(with.ttft_p90_s, without.ttft_p90_s);
}

/// With room for everybody on both, each still reads what came while the other answered.
TEST(Solve, without_affinity_replicas_read_what_the_others_read) {
    Situation situation = roomy_situation();
    situation.workload.gaps = {{0, 1}, {1, 60}};  // nobody goes away
    situation.replicas = 2;
    const Readings with = solve(situation).readings;
    situation.affinity = false;
    const Readings without = solve(situation).readings;
    EXPECT_NEAR(without.found.share, with.found.share, 1e-6);
    EXPECT_NEAR(without.found.uncached, 2 * with.found.uncached, 1e-6);
}

TEST(Solve, a_fleet_that_is_far_too_small_is_saturated) {
    Situation situation = roomy_situation();
    situation.memory.blocks = 40'000;  // five contexts
    situation.people = 500;
    const FleetFigures figures = solve(situation);
    EXPECT_TRUE(figures.saturated);
    EXPECT_LE(figures.read_busy, 1);  // people wait; the fleet answers as fast as it can
}

TEST(Solve, running_calls_never_need_more_than_the_room) {
    Situation situation = roomy_situation();
    situation.memory.blocks = 20'000;  // two or three contexts
    situation.people = 100;
    const FleetFigures figures = solve(situation);
    EXPECT_LE(figures.kv_use, 1.001);
    EXPECT_GT(figures.wait_s, 1);
}

TEST(AnswerTime, a_slice_of_a_prompt_slows_those_who_decode) {
    const StepCost cost = roomy_situation().cost;
    PromptTimes times(cost, 1e5, 2'048);
    std::vector<PromptReading> readings = {{.share = 1, .uncached = 2'000, .prompt = 100'000}};
    const ReplicaLoad idle{.calls_per_s = 0.001, .sources = 100, .output_tokens = 400};
    ReplicaLoad busy = idle;
    busy.calls_per_s = 1;
    EXPECT_NEAR(answer_time(times, idle, readings).tpot_s, decode_step(cost, 1, 1e5), 1e-4);
    EXPECT_GT(answer_time(times, busy, readings).tpot_s, 1.1 * decode_step(cost, 1, 1e5));
    busy.calls_per_s = 1e4;
    EXPECT_TRUE(std::isinf(answer_time(times, busy, readings).call_s()));
}

/// With a whole number of others no more is known than read_prompt says; between two of them the
/// time lies between.
TEST(AnswerTime, what_was_reckoned_before_is_what_it_would_be_now) {
    const StepCost cost = roomy_situation().cost;
    const std::vector<PromptReading> readings = {{.uncached = 700, .prompt = 90'000},
                                                 {.uncached = 60'000, .prompt = 60'000}};
    PromptTimes times(cost, 8e4, 2'048);
    for (const uint32_t others : {0u, 3u, 500u, 3u, 0u})
        for (size_t i = 0; i < readings.size(); ++i)
            EXPECT_EQ(
                times.of(readings, others)[i].seconds,
                read_prompt(cost, others, 8e4, readings[i].prompt, readings[i].uncached, 2'048));
}

TEST(Solve, calls_that_bring_more_than_others_wait_longer_for_their_first_token) {
    Situation situation = roomy_situation();
    const FleetFigures spread = solve(situation);
    situation.workload.new_shape = {};  // all bring as much
    const FleetFigures alike = solve(situation);
    EXPECT_NEAR(spread.ttft_s, alike.ttft_s, 0.2 * alike.ttft_s);
    EXPECT_LT(spread.ttft_p50_s, alike.ttft_p50_s);
    EXPECT_GT(spread.ttft_p90_s, alike.ttft_p90_s);
}

/// Turns of one to a hundred calls, with tools of which a few take very long.
TEST(Percentiles, of_turns_are_those_of_drawn_turns) {
    const std::vector<PromptReading> readings = {{.share = 0.95, .read_s = 0.3},
                                                 {.share = 0.05, .read_s = 20}};
    const std::vector<Quantile> counts = {{0, 1}, {0.5, 2}, {0.9, 17}, {1, 100}};
    const std::vector<Quantile> gaps = {{0, 1}, {0.5, 9}, {0.9, 74}, {0.99, 900}, {1, 1'800}};
    const CallTimes times{
        .readings = readings, .outputs = {}, .wait_s = 2, .read_busy = 0.4, .tpot_s = 0.025};
    Rng rng(5);
    const auto first_token = [&] {
        const double wait =
            rng.chance(0.4) ? -std::log(1 - rng.uniform()) * times.wait_s / times.read_busy : 0;
        return wait + (rng.chance(0.95) ? 0.3 : 20);
    };
    std::vector<Turn> turns;
    std::vector<double> drawn;
    for (int i = 0; i < 20'000; ++i) {
        Turn turn{.calls = std::round(value_at(counts, rng.uniform()))};
        for (int call = 1; call < turn.calls; ++call)
            turn.tools_s += value_at(gaps, rng.uniform());
        turn.outputs = turn.calls * 300;
        double seconds = turn.tools_s + (turn.outputs - turn.calls) * times.tpot_s;
        for (int call = 0; call < turn.calls; ++call)
            seconds += first_token();
        drawn.push_back(seconds);
        if (i % 50 == 0) turns.push_back(turn);
    }
    std::ranges::sort(drawn);
    for (const double share : {0.5, 0.75, 0.9})
        EXPECT_NEAR(turn_quantile(times, turns, share), drawn[static_cast<size_t>(share * 20'000)],
                    0.12 * drawn[static_cast<size_t>(share * 20'000)])
            << share;
}

/// Drawn a hundred thousand times.
TEST(Percentiles, are_those_of_drawn_calls) {
    const std::vector<PromptReading> readings = {{.share = 0.9, .read_s = 0.2},
                                                 {.share = 0.1, .read_s = 5}};
    const std::vector<Quantile> outputs = {{0, 10}, {0.5, 200}, {0.9, 900}, {1, 4'000}};
    const CallTimes times{
        .readings = readings, .outputs = outputs, .wait_s = 0.4, .read_busy = 0.5, .tpot_s = 0.02};
    Rng rng(7);
    std::vector<double> ttft, call, per_token;
    for (int i = 0; i < 100'000; ++i) {
        const double wait =
            rng.chance(0.5) ? -std::log(1 - rng.uniform()) * times.wait_s / times.read_busy : 0;
        const double first = wait + (rng.chance(0.9) ? 0.2 : 5);
        const double tokens = value_at(outputs, rng.uniform());
        ttft.push_back(first);
        call.push_back(first + (tokens - 1) * times.tpot_s);
        per_token.push_back(call.back() / tokens);
    }
    const auto drawn = [](std::vector<double> values, double share) {
        std::ranges::sort(values);
        return values[static_cast<size_t>(share * static_cast<double>(values.size()))];
    };
    for (const double share : {0.5, 0.8}) {
        EXPECT_NEAR(ttft_quantile(times, share), drawn(ttft, share), 0.05 * drawn(ttft, share));
        EXPECT_NEAR(call_quantile(times, share), drawn(call, share), 0.08 * drawn(call, share));
    }
    EXPECT_NEAR(per_token_quantile(times, 0.9), drawn(per_token, 0.9), 0.1 * drawn(per_token, 0.9));
}

}  // namespace
}  // namespace brigada
