// The corpus of Claude Code against agent_stats.json, which an independent program computed.
#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "trace/corpus_for_tests.h"
#include "trace/trace_stats.h"

namespace brigada {
namespace {

const Json& golden() {
    static const Json json =
        parse_json(trace_bytes("agent_stats.json"), "agent_stats.json").value();
    return json;
}

const TraceStats& corpus() {
    static const TraceStats stats = stats_of(claude_code());
    return stats;
}

constexpr double kTenthOfAPoint = 0.001;

TEST(TraceStats, reuse_is_that_of_agent_stats) {
    const Json& rates = golden()["rates"];
    EXPECT_NEAR(corpus().reuse.endless, rates["token_weighted_prefix_reuse"].get<double>(),
                kTenthOfAPoint);
    const Json& by_age = rates["reuse_if_evicted_after_idle_s"];
    for (size_t i = 0; i < kReuseAges_s.size(); ++i)
        EXPECT_NEAR(corpus().reuse.by_age[i], by_age[std::to_string(kReuseAges_s[i])].get<double>(),
                    kTenthOfAPoint)
            << kReuseAges_s[i];
    EXPECT_NEAR(corpus().compaction_rate,
                rates["compaction_or_reset_per_noninitial_call"].get<double>(), 1e-5);
    EXPECT_NEAR(corpus().sessions_with_sub_agents,
                rates["sessions_with_subagents_fraction"].get<double>(), 1e-4);
}

/// `slack` of the value, or of 1 where values are smaller.
void expect_same(const char* name, double slack) {
    const Json& wanted = golden()["distributions"][name];
    const Distribution found = corpus().distribution(name);
    EXPECT_NEAR(double(found.count), wanted["n"].get<double>(), slack * double(found.count))
        << name;
    EXPECT_NEAR(found.mean, wanted["mean"].get<double>(), 1e-3 + slack * found.mean) << name;
    for (size_t i = 0; i < kGridPercentiles.size(); ++i) {
        const double value = wanted["quantiles"][i].get<double>();
        EXPECT_NEAR(found.quantiles[i], value, 1e-3 + slack * std::max(1.0, value))
            << name << " at " << kGridPercentiles[i];
    }
}

TEST(TraceStats, distributions_are_those_of_agent_stats) {
    for (const char* name :
         {"calls_per_session", "calls_per_user_turn", "user_turns_per_session", "input_tokens",
          "first_call_input_tokens", "peak_input_tokens", "compaction_from_tokens",
          "compaction_to_ratio", "subagent_calls", "subagent_first_input_tokens",
          "subagent_last_input_tokens", "subagent_output_tokens", "ttft_s", "reuse_fraction_user",
          "reuse_fraction_tool"})
        expect_same(name, 0);
    // Where sub-agents took longer than the recorded wait; and 6 calls whose reuse is 0.9.
    for (const char* name :
         {"gap_s_before_tool_call", "new_tokens_append_tool", "new_tokens_append_user"})
        expect_same(name, 2e-3);
}

}  // namespace
}  // namespace brigada
