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

/// A turn of somebody's.
struct Turn {
    double calls = 0, tools_s = 0, outputs = 0;

    double usual_s() const { return tools_s + outputs * kUsualTokenSeconds; }
};

/// Everything seen of a trace, before it becomes a few numbers.
struct Seen {
    double shared_tokens = 0;  // that sessions have in common
    Instant since = {};        // sessions that are there before may be in their middle
    std::vector<double> prompts, contexts, new_tokens, outputs, gaps, tool_gaps;
    std::vector<double> repeating, fresh;  // prompts of calls that repeat, what others read
    std::vector<Turn> turns;               // of people
    double reused = 0;
    double seconds = 0;
    double sessions = 0;  // of people
    double sub_agent_calls = 0;

    void session(const TraceSession& session, uint32_t block_tokens) {
        const bool is_person = !session.parent.has_value();
        sessions += is_person ? 1 : 0;
        double before = 0;
        Turn turn;
        for (const TraceCall& call : session.calls) {
            if (before > 0 || session.start >= since) prompt(call, before, block_tokens);
            outputs.push_back(call.output_tokens);
            if (before > 0) gap(call);
            if (is_person) seconds += answer_seconds(call);
            sub_agent_calls += is_person ? 0 : 1;
            if (is_person && call.user && turn.calls > 0)
                turns.push_back(std::exchange(turn, Turn()));
            if (turn.calls > 0) turn.tools_s += call.gap.seconds();
            ++turn.calls;
            turn.outputs += call.output_tokens;
            before = call.prompt_tokens;
        }
        if (is_person && turn.calls > 0) turns.push_back(turn);
    }

  private:
    void prompt(const TraceCall& call, double before, uint32_t block_tokens) {
        const double prompt = call.prompt_tokens;
        const double kept = before > 0 ? double(call.keep_blocks) * block_tokens : shared_tokens;
        const double found = std::min(prompt, kept);
        reused += found;
        prompts.push_back(prompt);
        contexts.push_back(prompt + call.output_tokens);
        if (before > 0 && found > before / 2) {
            repeating.push_back(prompt);
            new_tokens.push_back(prompt - found);
        } else {
            fresh.push_back(prompt - found);
        }
    }

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

/// So many turns stand for all.
constexpr size_t kTurns = 200;

/// The middle ones of classes with as many turns each, by their time on a usual fleet.
std::vector<TurnShape> turn_shapes(std::vector<Turn> turns, const Workload& workload) {
    std::ranges::sort(turns, {}, &Turn::usual_s);
    const double calls = std::max(1.0, workload.calls_per_turn_p90);
    const double tools = std::max(1e-9, calls * workload.tool_gap_s);
    const double outputs = std::max(1e-9, calls * workload.output_tokens);
    const size_t classes = std::min(kTurns, turns.size());
    std::vector<TurnShape> out;
    for (size_t i = 0; i < classes; ++i) {
        const Turn& turn = turns[(2 * i + 1) * turns.size() / (2 * classes)];
        out.push_back({turn.calls / calls, turn.tools_s / tools, turn.outputs / outputs});
    }
    return out;
}

void take_turns(std::vector<Turn> turns, Workload& out) {
    std::vector<double> calls;
    for (const Turn& turn : turns)
        calls.push_back(turn.calls);
    out.calls_per_turn = mean_of(calls, 1);
    std::ranges::sort(calls);
    out.calls_per_turn_p90 = sorted_at(calls, 0.9);
    out.turns = turn_shapes(std::move(turns), out);
}

}  // namespace

Result<Workload> workload_of(const Trace& trace, double shared_tokens, Instant since) {
    Seen seen;
    seen.shared_tokens = shared_tokens;
    seen.since = since;
    for (const TraceSession& session : trace.sessions)
        seen.session(session, trace.block_tokens);
    if (seen.prompts.empty() || seen.sessions == 0)
        return Error{Code::invalid_argument, trace.origin + ": no calls to plan for"};
    const auto calls = static_cast<double>(seen.outputs.size());
    double prompt_tokens = 0;
    for (const double prompt : seen.prompts)
        prompt_tokens += prompt;
    Workload out;
    out.name = "trace";
    out.source = trace.origin;
    out.calls_per_session = (calls - seen.sub_agent_calls) / seen.sessions;
    out.session_s = std::max(1.0, seen.seconds / seen.sessions);
    out.prompt_tokens = prompt_tokens / static_cast<double>(seen.prompts.size());
    std::ranges::sort(seen.contexts);
    out.context_p90 = sorted_at(seen.contexts, 0.9);
    out.context_max = sorted_at(seen.contexts, 0.99);
    out.shared_tokens = std::min(shared_tokens, out.prompt_tokens);
    const double own = out.prompt_tokens - out.shared_tokens;
    out.new_tokens = std::min(own, mean_of(seen.new_tokens, own));
    out.reuse = seen.reused / prompt_tokens;
    out.fresh_part = own <= 0 ? 1 : std::min(1.0, mean_of(seen.fresh, own) / own);
    out.output_tokens = mean_of(seen.outputs, 1);
    out.gaps = quantiles_of(std::move(seen.gaps), 60);
    out.outputs = quantiles_of(std::move(seen.outputs), 1);
    out.tool_gap_s = mean_of(seen.tool_gaps, 0);
    out.new_shape =
        shape_of(seen.new_tokens.empty() ? seen.fresh : seen.new_tokens, out.new_tokens);
    out.prompt_shape = shape_of(std::move(seen.repeating), out.prompt_tokens);
    out.fresh_shape = shape_of(seen.fresh, mean_of(seen.fresh, 0));
    take_turns(std::move(seen.turns), out);
    if (seen.sub_agent_calls > 0)
        out.fan_out = {{.name = "sub-agents",
                        .share = seen.sub_agent_calls / (calls - seen.sub_agent_calls),
                        .extra = 1}};
    return out;
}

}  // namespace brigada
