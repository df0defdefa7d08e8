// Traces written by hand, for tests: sessions of calls with new blocks each.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace brigada {

inline Trace empty_trace(uint32_t block_tokens = 16) {
    return {.origin = "test",
            .block_tokens = block_tokens,
            .models = {"m"},
            .tenants = {"t"},
            .sessions = {}};
}

/// Appends a call whose prompt extends the one before to `prompt` tokens.
inline TraceCall& add_call(Trace& trace, TraceSession& session, uint32_t prompt, uint32_t output,
                           Duration gap = {}, bool user = true) {
    const uint32_t before = session.calls.empty() ? 0 : session.calls.back().prompt_tokens;
    const uint32_t keep = before / trace.block_tokens;
    const uint32_t all = (prompt + trace.block_tokens - 1) / trace.block_tokens;
    session.calls.push_back({.gap = gap,
                             .prompt_tokens = prompt,
                             .output_tokens = output,
                             .keep_blocks = keep,
                             .added = {{.first = trace.names, .count = all - keep}},
                             .user = user,
                             .recorded_time = {},
                             .recorded_ttft = {}});
    trace.names += all - keep;
    return session.calls.back();
}

/// A session of `calls` equal calls, `gap` apart.
inline TraceSession& add_session(Trace& trace, size_t calls, Duration gap = {},
                                 Instant start = {}) {
    trace.sessions.push_back({.name = "s" + std::to_string(trace.sessions.size()),
                              .start = start,
                              .parent = {},
                              .system_tokens = 8,
                              .calls = {}});
    TraceSession& session = trace.sessions.back();
    for (size_t i = 0; i < calls; ++i)
        add_call(trace, session, static_cast<uint32_t>(40 + 40 * i), 10, i == 0 ? Duration() : gap);
    return session;
}

}  // namespace brigada
