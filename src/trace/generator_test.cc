#include "trace/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trace/corpus_for_tests.h"
#include "trace/trace_stats.h"

namespace brigada {
namespace {

const Profile& fitted() {
    static const Profile profile = fit_profile(claude_code(), "claude-code");
    return profile;
}

Trace generated(const Profile& profile, const GenerateSetup& setup) {
    auto trace = generate(profile, setup);
    CHECK(trace.ok(), trace.error().message);
    const Result<void> right = check(*trace);
    EXPECT_TRUE(right.ok()) << right.error().message;
    return std::move(trace).value();
}

/// The largest difference of the two distribution functions, at the first one's quantiles.
double distance(const Distribution& a, const Distribution& b) {
    double out = 0;
    for (const double value : a.quantiles)
        out = std::max(out, std::abs(a.share_up_to(value) - b.share_up_to(value)));
    return out;
}

TEST(Generator, sessions_are_like_those_the_profile_was_fitted_to) {
    const TraceStats real = stats_of(claude_code());
    const TraceStats made = stats_of(
        generated(fitted(), {.sessions_per_hour = 40, .duration = Duration::seconds(30 * 3600)}));
    struct {
        const char* name;
        double within;
    } const known[] = {
        {"input_tokens", 0.12},           {"output_tokens", 0.02},
        {"new_tokens_append_tool", 0.03}, {"new_tokens_append_user", 0.03},
        {"calls_per_session", 0.15},      {"calls_per_user_turn", 0.08},
        {"gap_s_before_tool_call", 0.1},  {"gap_s_before_user_call", 0.05},
        {"peak_input_tokens", 0.2},
    };
    for (const auto& one : known)
        EXPECT_LT(distance(real.distribution(one.name), made.distribution(one.name)), one.within)
            << one.name;
    EXPECT_NEAR(made.reuse.endless, real.reuse.endless, 0.02);
    for (size_t i = 0; i < kReuseAges_s.size(); ++i)
        EXPECT_NEAR(made.reuse.by_age[i], real.reuse.by_age[i], 0.04) << kReuseAges_s[i];
}

TEST(Generator, the_same_seed_gives_the_same_trace) {
    const GenerateSetup setup{.users = 20, .seed = 7};
    const Trace trace = generated(fitted(), setup);
    EXPECT_EQ(generated(fitted(), setup), trace);
    GenerateSetup other = setup;
    other.seed = 8;
    EXPECT_NE(generated(fitted(), other), trace);
}

TEST(Generator, another_user_changes_nobodys_calls) {
    const Trace few = generated(fitted(), {.users = 20});
    const Trace more = generated(fitted(), {.users = 21});
    ASSERT_GE(more.sessions.size(), few.sessions.size());
    for (size_t i = 0; i < few.sessions.size(); ++i)
        EXPECT_EQ(more.sessions[i], few.sessions[i]);
}

TEST(Generator, people_are_at_work_from_the_beginning_to_the_end) {
    const Trace trace = generated(fitted(), {.users = 200});
    std::array<uint64_t, 4> calls{};
    const auto times = timeline(trace);
    for (size_t s = 0; s < times.size(); ++s)
        for (const TimedCall& call : times[s])
            if (call.sent < Instant() + Duration::seconds(3600))
                ++calls[static_cast<size_t>((call.sent - Instant()).seconds() / 900)];
    const uint64_t quarter = trace.calls() / 4;
    for (const uint64_t count : calls)
        EXPECT_NEAR(double(count), double(quarter), 0.2 * double(quarter));
}

TEST(Generator, arrivals_in_bursts_have_the_variation_that_was_asked_for) {
    Profile profile;
    profile.first_prompt = always(100);
    profile.output = always(10);
    profile.most_prompt_tokens = 1000;
    for (const double cv : {0.5, 1.0, 3.0}) {
        const Trace trace = generated(
            profile,
            {.sessions_per_hour = 3600, .arrival_cv = cv, .duration = Duration::seconds(20'000)});
        std::vector<double> between;
        for (size_t i = 1; i < trace.sessions.size(); ++i)
            between.push_back((trace.sessions[i].start - trace.sessions[i - 1].start).seconds());
        const double mean = distribution_of(between).mean;
        double squares = 0;
        for (const double value : between)
            squares += (value - mean) * (value - mean);
        EXPECT_NEAR(mean, 1, 0.1);
        EXPECT_NEAR(std::sqrt(squares / double(between.size())) / mean, cv, 0.15 * cv);
    }
}

TEST(Generator, no_prompt_is_longer_than_a_profile_allows_not_even_a_first_one) {
    Profile profile = fitted();
    compact_at(profile, 12'000);
    uint32_t longest = 0;
    for (const TraceSession& session : generated(profile, {.users = 50}).sessions)
        for (const TraceCall& call : session.calls)
            longest = std::max(longest, call.prompt_tokens);
    EXPECT_LE(longest, 12'000u);
    EXPECT_GT(longest, 11'000u);
}

TEST(Generator, what_makes_no_sense_is_refused) {
    const auto message = [](const GenerateSetup& setup) {
        const auto trace = generate(fitted(), setup);
        return trace.ok() ? std::string() : trace.error().message;
    };
    EXPECT_EQ(message({}), "either users or sessions an hour are needed, one of them");
    EXPECT_EQ(message({.users = 1, .duration = Duration()}), "the duration must be above 0");
    EXPECT_EQ(message({.sessions_per_hour = 1, .arrival_cv = 0}),
              "arrival CV: above 0 and up to 100");
}

/// The same calls; their gaps are half as long, and none is above a minute.
TEST(Profile, people_in_a_hurry_who_are_never_away_make_the_same_calls) {
    Profile usual = fitted();
    cut_absences(usual, 60);
    Profile quick = usual;
    hurry(quick, 2);
    EXPECT_LE(usual.pause_s.quantiles.back(), 60);
    EXPECT_LE(usual.pause_s.mean, fitted().pause_s.mean);
    EXPECT_NEAR(quick.pause_s.mean, usual.pause_s.mean / 2, 1e-9);
    const Trace slow = generated(usual, {.users = 1}), fast = generated(quick, {.users = 1});
    Duration longest;
    for (const TraceSession& session : slow.sessions)
        for (const TraceCall& call : session.calls)
            longest = std::max(longest, call.gap);
    EXPECT_LE(longest, Duration::seconds(60));
    EXPECT_GT(fast.calls(), slow.calls());
}

TEST(Profile, lengthened_asks_as_often_with_prompts_twice_as_long) {
    Profile longer = fitted();
    longer.most_prompt_tokens = 10'000'000;  // nothing cuts what is lengthened
    for (Profile& part : longer.parts)
        part.most_prompt_tokens = 10'000'000;
    const GenerateSetup setup{.sessions_per_hour = 40, .duration = Duration::seconds(30 * 3600)};
    const TraceStats before = stats_of(generated(longer, setup));
    lengthen(longer, 2);
    const TraceStats after = stats_of(generated(longer, setup));
    const auto ratio = [&](const char* name) {
        return after.distribution(name).at(0.5) / before.distribution(name).at(0.5);
    };
    for (const char* const twice : {"input_tokens", "new_tokens_append_tool"})
        EXPECT_NEAR(ratio(twice), 2, 0.2) << twice;
    for (const char* const same : {"output_tokens", "gap_s_before_tool_call", "calls_per_session"})
        EXPECT_NEAR(ratio(same), 1, 0.1) << same;
    EXPECT_EQ(after.compactions == 0, before.compactions == 0);
}

TEST(Distribution, what_is_cut_has_the_mean_of_its_lines) {
    const Distribution even = distribution_of({0, 25, 50, 75, 100});
    EXPECT_EQ(cut(even, 200), even);
    EXPECT_NEAR(cut(even, 50).mean, 37.5, 1e-9);  // half of them uniform to 50, half at it
    EXPECT_EQ(cut(even, 50).quantiles.back(), 50);
    EXPECT_NEAR(scaled(even, 3).at(0.75), 225, 1e-9);
}

TEST(Profile, is_the_same_after_a_round_trip) {
    const Json json = to_json(fitted());
    const auto back = read_profile(json);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(to_json(*back), json);
    EXPECT_EQ(back->parts.size(), fitted().parts.size());
}

TEST(Profile, built_in_ones_can_be_read_and_generated) {
    for (const std::string_view name : builtin_profile_names()) {
        SCOPED_TRACE(name);
        const auto profile = builtin_profile(name);
        ASSERT_TRUE(profile.ok()) << profile.error().message;
        EXPECT_EQ(profile->name, name);
        EXPECT_GT(generated(*profile, {.users = 5}).calls(), 0U);
    }
    EXPECT_EQ(builtin_profile("chess").error().message,
              "no profile 'chess'; there are chat, copilot, agentx, swe-bench, claude-code, rag");
}

TEST(Profile, wrong_fields_are_named) {
    const auto message = [](const char* text) {
        return read_profile(parse_json(text, "profile").value()).error().message;
    };
    EXPECT_EQ(message("{}"), "profile: first_prompt_tokens: it is needed");
    EXPECT_EQ(message(R"({"first_prompt_tokens":{"quantiles":[1,2]}})"),
              "first_prompt_tokens: 2 quantiles; 28 are needed, at the percentiles 0, 1, 2, 5, 10, "
              "15, ... 95, 97, 98, 99, 99.5, 99.9, 100");
    EXPECT_EQ(message(R"({"rewrite_chance":2})"),
              "profile: rewrite_chance: a number from 0 to 1 is needed");
}

TEST(Distribution, lognormal_has_the_quantiles_it_was_made_from) {
    const Distribution d = lognormal(100, 1000);
    EXPECT_NEAR(d.at(0.5), 100, 1e-6);
    EXPECT_NEAR(d.at(0.9), 1000, 1e-6);
    EXPECT_NEAR(d.share_up_to(d.at(0.3)), 0.3, 1e-9);
}

}  // namespace
}  // namespace brigada
