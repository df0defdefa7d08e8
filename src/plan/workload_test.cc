#include "plan/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "trace/generator.h"
#include "trace/profile.h"

namespace brigada {
namespace {

/// What value_at() turns around: the share of values that are at most `seconds`, linear between
/// quantiles.
double share_within(const std::vector<Quantile>& quantiles, double seconds) {
    for (size_t i = 0; i < quantiles.size(); ++i) {
        if (quantiles[i].value <= seconds) continue;
        if (i == 0) return 0;
        const Quantile& low = quantiles[i - 1];
        const double part = (seconds - low.value) / (quantiles[i].value - low.value);
        return low.share + part * (quantiles[i].share - low.share);
    }
    return 1;
}

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Workload, the_built_in_ones_are_sound) {
    for (const std::string_view name : builtin_profile_names()) {
        SCOPED_TRACE(name);
        const Workload workload = *find_workload(std::string(name));
        EXPECT_FALSE(workload.source.empty());
        EXPECT_LE(workload.new_tokens + workload.shared_tokens, workload.prompt_tokens);
        EXPECT_GE(workload.context_p90, workload.prompt_tokens);
        EXPECT_GE(workload.context_max, workload.context_p90);
        for (const auto* quantiles : {&workload.gaps, &workload.outputs}) {
            ASSERT_GE(quantiles->size(), 2u);
            EXPECT_EQ(quantiles->front().share, 0);
            EXPECT_EQ(quantiles->back().share, 1);
            for (size_t i = 1; i < quantiles->size(); ++i)
                EXPECT_GE((*quantiles)[i].value, (*quantiles)[i - 1].value);
        }
    }
    EXPECT_THAT(find_workload("gamer").error().message, HasSubstr("claude-code"));
}

TEST(Workload, shares_and_values_are_each_others_inverse) {
    const Workload workload = *find_workload("claude-code");
    const std::vector<Quantile>& gaps = workload.gaps;
    // The last ones are all as long: nobody is away for more.
    for (int i = 1; value_at(gaps, i / 100.0) < gaps.back().value; ++i)
        EXPECT_NEAR(share_within(gaps, value_at(gaps, i / 100.0)), i / 100.0, 1e-9);
}

TEST(Workload, the_mean_gap_is_that_of_drawn_gaps) {
    const Workload workload = *find_workload("agentx");
    Rng rng(3);
    double sum = 0;
    constexpr int kDraws = 200'000;
    for (int i = 0; i < kDraws; ++i)
        sum += std::min(kAwaySeconds, value_at(workload.gaps, rng.uniform()));
    EXPECT_NEAR(mean_gap(workload, kAwaySeconds), sum / kDraws, 0.02 * sum / kDraws);
}

/// What agents compact they read again, and more of their calls do.
TEST(Workload, people_with_a_shorter_context_compact_more_often) {
    Workload before = *find_workload("claude-code", 1'000'000);
    EXPECT_THAT(before.source, Not(HasSubstr("compacted")));
    for (const uint32_t context : {200'000, 131'072, 40'960, 16'384}) {
        SCOPED_TRACE(context);
        const Workload fitted = *find_workload("claude-code", context);
        EXPECT_THAT(fitted.source, HasSubstr("compacted at"));
        EXPECT_LE(fitted.context_max, context);
        EXPECT_LT(fitted.prompt_tokens, before.prompt_tokens);
        EXPECT_LT(fitted.reuse, before.reuse);
        EXPECT_GT(fitted.reuse, 0.75);
        EXPECT_NEAR(fitted.output_tokens, before.output_tokens, 0.05 * before.output_tokens);
        before = fitted;
    }
}

TEST(Workload, declared_numbers_are_held_to_a_shorter_context) {
    const Workload workload = *find_workload("claude-code");
    EXPECT_EQ(fitted_to_context(workload, 1e6).prompt_tokens, workload.prompt_tokens);
    double reuse = workload.reuse;
    for (const double context : {200'000.0, 131'072.0, 40'960.0, 16'384.0}) {
        const Workload fitted = fitted_to_context(workload, context);
        EXPECT_LE(fitted.context_p90, context);
        EXPECT_LE(fitted.prompt_tokens, context);
        EXPECT_LE(fitted.reuse, reuse);
        reuse = fitted.reuse;
    }
}

/// What was measured of the corpus that the profile was fitted to
/// (testdata/traces/agent_stats.json).
TEST(Workload, claude_code_is_what_was_measured) {
    const Workload workload = *find_workload("claude-code");
    EXPECT_NEAR(workload.prompt_tokens, 123'450, 0.1 * 123'450);
    EXPECT_NEAR(workload.output_tokens, 439, 0.05 * 439);
    EXPECT_NEAR(1 - workload.reuse, 1 - 0.9631, 0.012);
    EXPECT_NEAR(workload.calls_per_session, 68.5, 5);
    EXPECT_NEAR(workload.calls_per_turn, 6.76, 1.2);  // long turns are cut at both ends
    EXPECT_NEAR(workload.calls_per_turn_p90, 17, 3);
    EXPECT_NEAR(value_at(workload.gaps, 0.5), 10, 2);
    EXPECT_NEAR(value_at(workload.gaps, 0.9), 170, 40);
}

/// As docs/planning.md declares them.
TEST(Workload, declared_ones_are_as_declared) {
    const Workload talk = *find_workload("chat"), questions = *find_workload("rag");
    EXPECT_NEAR(talk.prompt_tokens, 800, 80);
    EXPECT_NEAR(talk.output_tokens, 250, 25);
    EXPECT_NEAR(questions.prompt_tokens, 4'000, 400);
    EXPECT_NEAR(questions.reuse, 0.016, 0.005);
    EXPECT_NEAR(find_workload("swe-bench")->output_tokens, 659, 40);
    EXPECT_NEAR(find_workload("swe-bench")->calls_per_turn, 62, 8);
    EXPECT_GT(find_workload("agentx")->reuse, 0.96);
    EXPECT_NEAR(find_workload("copilot")->prompt_tokens, 68'000, 7'000);
}

/// Two turns of two calls, each 64 tokens longer than the one before, and a sub-agent of one call.
TEST(Workload, of_a_trace) {
    Trace trace{
        .origin = "made up", .block_tokens = 16, .models = {"m"}, .tenants = {"t"}, .sessions = {}};
    TraceSession person;
    for (uint32_t i = 0; i < 4; ++i) {
        TraceCall call;
        call.gap = Duration::seconds(i == 0 ? 0 : i == 2 ? 60 : 4);
        call.prompt_tokens = 640 + 64 * i;
        call.output_tokens = 40;
        call.keep_blocks = i == 0 ? 0 : (call.prompt_tokens - 64) / 16;
        call.user = i % 2 == 0;
        person.calls.push_back(call);
    }
    TraceSession helper;
    helper.parent = ParentCall{};
    helper.calls.push_back(person.calls.front());
    trace.sessions = {person, helper};
    const Workload workload = *workload_of(trace);
    EXPECT_EQ(workload.calls_per_session, 4);
    EXPECT_NEAR(workload.prompt_tokens, (640 + 704 + 768 + 832 + 640) / 5.0, 1e-9);
    EXPECT_NEAR(workload.new_tokens, 64, 1e-9);
    EXPECT_NEAR(workload.reuse, (640 + 704 + 768) / (5 * workload.prompt_tokens), 1e-9);
    EXPECT_NEAR(workload.session_s, 4 + 60 + 4 + 4 * 1.0, 1e-9);
    EXPECT_EQ(workload.tool_gap_s, 4);
    EXPECT_EQ(workload.calls_per_turn, 2);  // the helper has no turns
    ASSERT_EQ(workload.turns.size(), 2u);
    EXPECT_NEAR(workload.turns[0].calls * workload.calls_per_turn_p90, 2, 1e-9);
    EXPECT_NEAR(workload.turns[0].tools * 2 * workload.tool_gap_s, 4, 1e-9);
    EXPECT_NEAR(workload.turns[0].outputs * 2 * workload.output_tokens, 80, 1e-9);
    // Two first calls, 640 tokens each, and a mean prompt of 716.8.
    EXPECT_NEAR(workload.fresh_part, 640 / workload.prompt_tokens, 1e-9);
    const Workload later = *workload_of(trace, 0, Instant() + Duration::seconds(1));
    EXPECT_NEAR(later.prompt_tokens, (704 + 768 + 832) / 3.0, 1e-9);
    EXPECT_NEAR(amplification(workload), 1.25, 1e-9);
    EXPECT_FALSE(workload_of(Trace{}).ok());
}

}  // namespace
}  // namespace brigada
