#include "trace/trace_stats.h"

#include <algorithm>
#include <map>

namespace brigada {

namespace {

constexpr size_t kPoints = 48;  // of a working set over time

using Values = std::map<std::string, std::vector<double>, std::less<>>;

double ratio(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
}

/// What each session and call adds to the distributions.
class Collecting {
  public:
    Collecting(const Trace& trace, const std::vector<std::vector<TimedCall>>& times)
        : trace_(trace), times_(times) {}

    void add_all(TraceStats& stats) {
        for (size_t s = 0; s < trace_.sessions.size(); ++s) {
            const TraceSession& session = trace_.sessions[s];
            if (session.parent)
                add_sub_agent(session, times_[s]);
            else
                add_session(session, times_[s], stats);
        }
        stats.turns = values_["calls_per_user_turn"].size();
        for (auto& [name, values] : values_)
            if (!values.empty())
                stats.distributions.emplace_back(name, distribution_of(std::move(values)));
    }

  private:
    void add(const char* name, double value) { values_[name].push_back(value); }

    void add_session(const TraceSession& session, const std::vector<TimedCall>& times,
                     TraceStats& stats) {
        add("calls_per_session", double(session.calls.size()));
        add("first_call_input_tokens", session.calls.front().prompt_tokens);
        add("session_minutes", (times.back().sent - times.front().sent).seconds() / 60);
        if (session.system_tokens > 0) add("system_tokens", session.system_tokens);
        uint32_t peak = 0, turns = 0, calls_in_turn = 0;
        for (size_t i = 0; i < session.calls.size(); ++i) {
            const TraceCall& call = session.calls[i];
            if (call.user || i == 0) {
                if (i > 0) add("calls_per_user_turn", calls_in_turn);
                calls_in_turn = 0;
                ++turns;
            }
            ++calls_in_turn;
            peak = std::max(peak, call.prompt_tokens);
            add_call(call);
            if (i > 0) add_later_call(session.calls[i - 1], call, times[i].idle, stats);
        }
        add("calls_per_user_turn", calls_in_turn);
        add("user_turns_per_session", turns);
        add("peak_input_tokens", peak);
    }

    void add_call(const TraceCall& call) {
        add("input_tokens", call.prompt_tokens);
        add("output_tokens", call.output_tokens);
        if (call.recorded_ttft) add("ttft_s", call.recorded_ttft->seconds());
        if (call.recorded_time && *call.recorded_time > Duration())
            add("api_output_tokens_per_s", call.output_tokens / call.recorded_time->seconds());
    }

    void add_later_call(const TraceCall& before, const TraceCall& call, Duration idle,
                        TraceStats& stats) {
        const double kept = kept_tokens(call, trace_.block_tokens);
        const double reuse = kept / call.prompt_tokens;
        add(call.user ? "gap_s_before_user_call" : "gap_s_before_tool_call", idle.seconds());
        add(call.user ? "reuse_fraction_user" : "reuse_fraction_tool", reuse);
        if (reuse > kAppendShare)
            add(call.user ? "new_tokens_append_user" : "new_tokens_append_tool",
                call.prompt_tokens - kept);
        if (call.prompt_tokens < kCompactionRatio * before.prompt_tokens) {
            add("compaction_from_tokens", before.prompt_tokens);
            add("compaction_to_ratio", double(call.prompt_tokens) / before.prompt_tokens);
            ++stats.compactions;
        }
    }

    void add_sub_agent(const TraceSession& session, const std::vector<TimedCall>& times) {
        add("subagent_calls", double(session.calls.size()));
        add("subagent_duration_s", (times.back().answered - times.front().sent).seconds());
        add("subagent_first_input_tokens", session.calls.front().prompt_tokens);
        add("subagent_last_input_tokens", session.calls.back().prompt_tokens);
        for (const TraceCall& call : session.calls)
            add("subagent_output_tokens", call.output_tokens);
    }

    const Trace& trace_;
    const std::vector<std::vector<TimedCall>>& times_;
    Values values_;
};

void count(const Trace& trace, const std::vector<std::vector<TimedCall>>& times,
           TraceStats& stats) {
    std::vector<bool> has_sub_agents(trace.sessions.size());
    Instant first = Instant::never(), last;
    for (size_t s = 0; s < trace.sessions.size(); ++s) {
        const TraceSession& session = trace.sessions[s];
        ++(session.parent ? stats.sub_agents : stats.sessions);
        (session.parent ? stats.sub_agent_calls : stats.calls) += session.calls.size();
        if (session.parent) has_sub_agents[session.parent->session] = true;
        for (const TraceCall& call : session.calls) {
            stats.prompt_tokens += call.prompt_tokens;
            stats.output_tokens += call.output_tokens;
        }
        first = std::min(first, times[s].front().sent);
        last = std::max(last, times[s].back().answered);
    }
    stats.length = last - first;
    stats.compaction_rate =
        ratio(double(stats.compactions), double(stats.calls) - double(stats.sessions));
    stats.sessions_with_sub_agents =
        ratio(double(std::ranges::count(has_sub_agents, true)), double(stats.sessions));
}

Json reuse_json(const TraceStats& stats) {
    Json by_age = Json::object(), by_index = Json::object(), by_size = Json::array();
    for (size_t i = 0; i < kReuseAges_s.size(); ++i)
        by_age[std::to_string(kReuseAges_s[i])] = stats.reuse.by_age[i];
    by_age["inf"] = stats.reuse.endless;
    for (size_t i = 0; i < kReuseIndices.size(); ++i)
        if (stats.reuse.calls_at_index[i] > 0)
            by_index[std::to_string(kReuseIndices[i])] = stats.reuse.by_index[i];
    for (const ReuseAtSize& point : stats.reuse_by_size)
        by_size.push_back({{"cache_tokens", point.cache_tokens}, {"reuse", point.reuse}});
    return {{"token_weighted_prefix_reuse", stats.reuse.endless},
            {"shared_endless_cache", stats.shared_reuse},
            {"tool_calls", stats.reuse.tool_calls},
            {"user_calls", stats.reuse.user_calls},
            {"reuse_if_evicted_after_idle_s", std::move(by_age)},
            {"by_call_index", std::move(by_index)},
            {"by_cache_size", std::move(by_size)}};
}

}  // namespace

Distribution TraceStats::distribution(std::string_view name) const {
    const auto found = std::ranges::find(
        distributions, name, [](const auto& entry) { return std::string_view(entry.first); });
    return found == distributions.end() ? Distribution() : found->second;
}

TraceStats stats_of(const Trace& trace) {
    TraceStats out;
    out.origin = trace.origin;
    out.block_tokens = trace.block_tokens;
    const auto times = timeline(trace);
    const auto order = by_time(times);
    Collecting(trace, times).add_all(out);
    count(trace, times, out);
    out.reuse = session_reuse(trace, times);
    out.shared_reuse = shared_reuse(trace, order);
    out.reuse_by_size = reuse_by_size(trace, order);
    for (const int64_t age_s : {300, 3600})
        out.working_sets.push_back(working_set(trace, times, Duration::seconds(age_s), kPoints));
    return out;
}

Json to_json(const TraceStats& stats) {
    Json distributions = Json::object(), working_sets = Json::array();
    for (const auto& [name, distribution] : stats.distributions)
        distributions[name] = to_json(distribution);
    for (const WorkingSet& set : stats.working_sets)
        working_sets.push_back({{"idle_at_most_s", set.age.seconds()},
                                {"step_s", set.step.seconds()},
                                {"mean_tokens", set.mean},
                                {"most_tokens", set.most},
                                {"tokens", set.tokens}});
    return {{"source", stats.origin},
            {"block_tokens", stats.block_tokens},
            {"sessions", stats.sessions},
            {"calls", stats.calls},
            {"user_turns", stats.turns},
            {"subagents", stats.sub_agents},
            {"subagent_calls", stats.sub_agent_calls},
            {"seconds", stats.length.seconds()},
            {"input_tokens", stats.prompt_tokens},
            {"output_tokens", stats.output_tokens},
            {"compactions", stats.compactions},
            {"compaction_or_reset_per_noninitial_call", stats.compaction_rate},
            {"sessions_with_subagents_fraction", stats.sessions_with_sub_agents},
            {"percentiles", kGridPercentiles},
            {"distributions", std::move(distributions)},
            {"reuse", reuse_json(stats)},
            {"working_set", std::move(working_sets)}};
}

}  // namespace brigada
