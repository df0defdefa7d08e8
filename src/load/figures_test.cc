#include "load/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>

#include "base/rng.h"

namespace brigada {

namespace {

Instant at_ms(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

CallResult finished(int64_t due_ms, int64_t ttft_ms, int64_t e2e_ms, uint32_t tokens) {
    return {.due = at_ms(due_ms),
            .began = at_ms(due_ms),
            .tried = at_ms(due_ms),
            .sent = at_ms(due_ms),
            .first_byte = at_ms(due_ms + ttft_ms),
            .first_token = at_ms(due_ms + ttft_ms),
            .last_token = at_ms(due_ms + e2e_ms),
            .ended = at_ms(due_ms + e2e_ms),
            .outcome = CallOutcome::finished,
            .status = 200,
            .usage = {.input = 80, .cached_input = 20, .output = tokens},
            .usage_told = true,
            .output_tokens = tokens,
            .counted_by = TokenCount::usage,
            .first_tokens = 1,
            .later_tokens = tokens - 1,
            .window_tokens = tokens};
}

const LoadWindow kWindow{at_ms(0), at_ms(10'000)};

TEST(Figures, keeps_failed_unfinished_and_warm_up_apart) {
    std::vector<CallResult> results;
    for (int i = 0; i < 10; ++i)
        results.push_back(finished(i * 100, 50, 150, 11));
    results.push_back(finished(0, 5'000, 5'001, 2));
    results.back().in_window = false;
    results.push_back(
        {.due = at_ms(1), .outcome = CallOutcome::failed, .status = 429, .cause = "HTTP 429"});
    results.push_back({.due = at_ms(2), .first_token = at_ms(9'000)});
    const LoadFigures figures = figures_of(results, {}, kWindow, {});
    EXPECT_EQ(figures.sent, 12u);
    EXPECT_EQ(figures.finished, 10u);
    EXPECT_EQ(figures.failed, 1u);
    EXPECT_EQ(figures.unfinished, 1u);
    EXPECT_EQ(figures.outside, 1u);
    EXPECT_EQ(figures.causes.at("HTTP 429"), 1u);
    EXPECT_DOUBLE_EQ(figures.failure_share(), 1.0 / 11);
    EXPECT_DOUBLE_EQ(figures.spreads.at(Measure::ttft).max, 50);
    EXPECT_DOUBLE_EQ(figures.spreads.at(Measure::tpot).mean, 10);
    EXPECT_DOUBLE_EQ(figures.spreads.at(Measure::per_token).p50, 150.0 / 11);
    EXPECT_EQ(figures.prompt_tokens, 1'000u);
    EXPECT_EQ(figures.cached_tokens, 200u);
}

TEST(Figures, counts_rates_by_what_happened_inside_the_window) {
    std::vector<CallResult> results{finished(0, 50, 150, 11), finished(9'900, 50, 500, 11)};
    results[1].window_tokens = 3;
    const LoadFigures figures = figures_of(results, {}, kWindow, {});
    EXPECT_DOUBLE_EQ(figures.calls_per_second, 0.1);
    EXPECT_DOUBLE_EQ(figures.output_per_second, 1.4);
    EXPECT_EQ(figures.finished, 2u);
}

TEST(Figures, inverts_the_p90_of_time_per_token) {
    std::vector<CallResult> results;
    for (int i = 1; i <= 10; ++i)
        results.push_back(finished(0, 1, 100 * i, 10));  // 10, 20, ... 100 ms per token
    EXPECT_DOUBLE_EQ(figures_of(results, {}, kWindow, {}).interactivity, 1'000.0 / 90);
}

TEST(Figures, goodput_needs_every_target) {
    const SloTargets targets{
        .ttft = Duration::milliseconds(60), .tpot = Duration::milliseconds(10), .e2e = {}};
    const std::vector<CallResult> results{finished(0, 50, 150, 11), finished(0, 70, 170, 11),
                                          finished(0, 50, 550, 11), finished(0, 60, 60, 1)};
    const LoadFigures figures = figures_of(results, {}, kWindow, targets);
    EXPECT_EQ(figures.met_slo, 2u);
    EXPECT_DOUBLE_EQ(figures.goodput, 0.2);
}

TEST(Percentile, is_the_nearest_rank) {
    const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    EXPECT_EQ(percentile_of(values, 0.5), 5);
    EXPECT_EQ(percentile_of(values, 0.9), 9);
    EXPECT_EQ(percentile_of(values, 0.91), 10);
    EXPECT_EQ(percentile_of(values, 0), 1);
    EXPECT_EQ(percentile_of({}, 0.5), 0);
}

TEST(LogHistogram, is_within_half_a_percent_of_all_values_kept) {
    Rng rng(5);
    LogHistogram histogram;
    std::vector<int64_t> all;
    for (int i = 0; i < 20'000; ++i) {
        const int64_t ns = rng.between(0, int64_t{1} << rng.between(1, 40));
        histogram.add(Duration::nanoseconds(ns), 1 + static_cast<uint64_t>(i % 2));
        all.insert(all.end(), 1 + static_cast<size_t>(i % 2), ns);
    }
    std::ranges::sort(all);
    EXPECT_EQ(histogram.count(), all.size());
    EXPECT_EQ(histogram.max().ns(), all.back());
    for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(all.size())));
        const auto exact = static_cast<double>(all[rank - 1]);
        EXPECT_NEAR(static_cast<double>(histogram.percentile(share).ns()), exact,
                    1 + exact * 0.0045);
    }
}

TEST(LogHistogram, of_nothing_is_nothing) {
    const LogHistogram empty;
    EXPECT_EQ(empty.percentile(0.5), Duration());
    EXPECT_EQ(empty.mean(), Duration());
}

}  // namespace

}  // namespace brigada
