// A workload from a trace: the same few numbers that the built-in ones have.
#include <algorithm>
#include <array>
#include <utility>

#include "plan/workload.h"

namespace brigada {

namespace {

constexpr std::array kShares = {0.0, 0.05, 0.1, 0.2,  0.3,  0.4,  0.5,  0.6,   0.7, 0.75,
                                0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1.0};

/// What an answer takes where the trace does not say: about 40 tokens a second on hosted models.
constexpr double kUsualTokenSeconds = 1.0 / 40;

double mean_of(const std::vector<double>& values, double otherwise) {
    if (values.empty()) return otherwise;
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

double sorted_at(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<size_t>(place + 0.5)];
}

std::vector<Quantile> quantiles_of(std::vector<double> values, double otherwise) {
    if (values.empty()) return {{0, otherwise}, {1, otherwise}};
    std::ranges::sort(values);
    std::vector<Quantile> out;
    for (const double share : kShares)
        out.push_back({share, sorted_at(values, share)});
    return out;
}

/// As multiples of `unit`.
std::vector<Quantile> shape_of(std::vector<double> values, double unit) {
    if (values.empty() || unit <= 0) return {};
    std::vector<Quantile> out = quantiles_of(std::move(values), unit);
    for (Quantile& each : out)
        each.value /= unit;
    return out;
}

/// Everything seen of a trace, before it becomes a few numbers.
struct Seen {
    std::vector<double> prompts, contexts, new_tokens, outputs, gaps, tool_gaps, turns;
    double reused = 0;
    double seconds = 0;
    double sessions = 0;  // of people
    double sub_agent_calls = 0;

    void session(const TraceSession& session, uint32_t block_tokens) {
        const bool is_person = !session.parent.has_value();
        sessions += is_person ? 1 : 0;
        double before = 0, turn = 0;
        for (const TraceCall& call : session.calls) {
            const double kept =
                std::min<double>(call.prompt_tokens, double(call.keep_blocks) * block_tokens);
            const bool appends = kept > before / 2 && before > 0;
            reused += kept;
            prompts.push_back(call.prompt_tokens);
            contexts.push_back(double(call.prompt_tokens) + call.output_tokens);
            outputs.push_back(call.output_tokens);
            if (appends) new_tokens.push_back(call.prompt_tokens - kept);
            if (before > 0) gap(call);
            if (is_person) seconds += answer_seconds(call);
            sub_agent_calls += is_person ? 0 : 1;
            if (call.user && turn > 0) turns.push_back(std::exchange(turn, 0));
            ++turn;
            before = call.prompt_tokens;
        }
        if (turn > 0) turns.push_back(turn);
    }

  private:
    void gap(const TraceCall& call) {
        gaps.push_back(call.gap.seconds());
        if (!call.user) tool_gaps.push_back(std::min(gaps.back(), kAwaySeconds));
        seconds += std::min(gaps.back(), kAwaySeconds);
    }

    static double answer_seconds(const TraceCall& call) {
        return call.recorded_time ? call.recorded_time->seconds()
                                  : call.output_tokens * kUsualTokenSeconds;
    }
};

}  // namespace

Result<Workload> workload_of(const Trace& trace) {
    Seen seen;
    for (const TraceSession& session : trace.sessions)
        seen.session(session, trace.block_tokens);
    if (seen.prompts.empty() || seen.sessions == 0)
        return Error{Code::invalid_argument, trace.origin + ": no calls to plan for"};
    const auto calls = static_cast<double>(seen.prompts.size());
    double prompt_tokens = 0;
    for (const double prompt : seen.prompts)
        prompt_tokens += prompt;
    Workload out;
    out.name = "trace";
    out.source = trace.origin;
    out.calls_per_session = (calls - seen.sub_agent_calls) / seen.sessions;
    out.session_s = std::max(1.0, seen.seconds / seen.sessions);
    out.prompt_tokens = prompt_tokens / calls;
    std::ranges::sort(seen.contexts);
    out.context_p90 = sorted_at(seen.contexts, 0.9);
    out.context_max = sorted_at(seen.contexts, 0.99);
    out.new_tokens = std::min(out.prompt_tokens, mean_of(seen.new_tokens, out.prompt_tokens));
    out.reuse = seen.reused / prompt_tokens;
    out.output_tokens = mean_of(seen.outputs, 1);
    out.gaps = quantiles_of(std::move(seen.gaps), 60);
    out.outputs = quantiles_of(std::move(seen.outputs), 1);
    out.tool_gap_s = mean_of(seen.tool_gaps, 0);
    out.calls_per_turn = mean_of(seen.turns, 1);
    std::ranges::sort(seen.turns);
    out.calls_per_turn_p90 = sorted_at(seen.turns, 0.9);
    out.new_shape = shape_of(std::move(seen.new_tokens), out.new_tokens);
    out.tool_gap_shape = shape_of(std::move(seen.tool_gaps), out.tool_gap_s);
    out.turn_shape = shape_of(std::move(seen.turns), out.calls_per_turn_p90);
    if (seen.sub_agent_calls > 0)
        out.fan_out = {{.name = "sub-agents",
                        .share = seen.sub_agent_calls / (calls - seen.sub_agent_calls),
                        .extra = 1}};
    return out;
}

}  // namespace brigada
