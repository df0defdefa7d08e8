#include "trace/timeline.h"

#include <algorithm>
#include <tuple>

namespace brigada {

namespace {

/// For each session, its sub-agents.
std::vector<std::vector<uint32_t>> children_of(const Trace& trace) {
    std::vector<std::vector<uint32_t>> out(trace.sessions.size());
    for (uint32_t i = 0; i < trace.sessions.size(); ++i)
        if (const auto parent = trace.sessions[i].parent) out[parent->session].push_back(i);
    return out;
}

/// Moves what was counted from a session's own start to where it begins.
void shift(std::vector<TimedCall>& calls, Duration by) {
    for (TimedCall& call : calls) {
        call.sent = call.sent + by;
        call.answered = call.answered + by;
    }
}

}  // namespace

Duration usual_time(uint32_t output_tokens) {
    return kUsualTtft + kUsualPerToken * output_tokens;
}

Duration answer_time(const TraceCall& call) {
    return call.recorded_time.value_or(usual_time(call.output_tokens));
}

std::vector<std::vector<TimedCall>> timeline(const Trace& trace) {
    const auto children = children_of(trace);
    std::vector<std::vector<TimedCall>> out(trace.sessions.size());
    for (uint32_t s = static_cast<uint32_t>(trace.sessions.size()); s-- > 0;) {
        const TraceSession& session = trace.sessions[s];
        Instant free;      // when the client may go on
        Instant answered;  // the call before
        for (uint32_t i = 0; i < session.calls.size(); ++i) {
            const TraceCall& call = session.calls[i];
            const Instant sent = free + call.gap;
            const Duration idle = i == 0 ? Duration() : sent - answered;
            answered = free = sent + answer_time(call);
            out[s].push_back({sent, answered, idle});
            for (const uint32_t child : children[s]) {
                if (trace.sessions[child].parent->call != i) continue;
                const Duration start = trace.sessions[child].start - Instant();
                free = std::max(free, answered + start + (out[child].back().answered - Instant()));
            }
        }
    }
    for (uint32_t s = 0; s < trace.sessions.size(); ++s) {
        const TraceSession& session = trace.sessions[s];
        Instant start = session.start;
        if (const auto parent = session.parent)
            start = out[parent->session][parent->call].answered + (session.start - Instant());
        shift(out[s], start - Instant());
    }
    return out;
}

std::vector<CallAt> by_time(const std::vector<std::vector<TimedCall>>& times) {
    std::vector<CallAt> out;
    for (uint32_t s = 0; s < times.size(); ++s)
        for (uint32_t i = 0; i < times[s].size(); ++i)
            out.push_back({s, i});
    std::ranges::sort(out, {}, [&](const CallAt& at) {
        return std::tuple(times[at.session][at.call].sent, at.session, at.call);
    });
    return out;
}

}  // namespace brigada
