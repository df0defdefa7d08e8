#include "trace/trace_edit.h"

#include <algorithm>

#include "base/rng.h"

namespace brigada {

namespace {

constexpr uint32_t kGone = ~uint32_t{0};

/// Names in the order of first appearance, without those that nobody has any more.
void rename_blocks(Trace& trace) {
    std::vector<uint32_t> renamed(trace.names, kGone);
    uint32_t next = 0;
    for (TraceSession& session : trace.sessions) {
        for (TraceCall& call : session.calls) {
            std::vector<BlockRun> runs;
            for (const BlockRun& run : call.added) {
                for (uint32_t name = run.first; name < run.first + run.count; ++name) {
                    if (renamed[name] == kGone) renamed[name] = next++;
                    if (!runs.empty() && runs.back().first + runs.back().count == renamed[name])
                        ++runs.back().count;
                    else
                        runs.push_back({renamed[name], 1});
                }
            }
            call.added = std::move(runs);
        }
    }
    trace.names = next;
}

}  // namespace

void keep_first_sessions(Trace& trace, uint32_t sessions) {
    std::vector<uint32_t> place(trace.sessions.size(), kGone);
    std::vector<TraceSession> kept;
    uint32_t of_people = 0;
    for (uint32_t s = 0; s < trace.sessions.size(); ++s) {
        TraceSession& session = trace.sessions[s];
        if (session.parent && place[session.parent->session] == kGone) continue;
        if (!session.parent && of_people++ >= sessions) continue;
        if (session.parent) session.parent->session = place[session.parent->session];
        place[s] = static_cast<uint32_t>(kept.size());
        kept.push_back(std::move(session));
    }
    trace.sessions = std::move(kept);
    rename_blocks(trace);
}

void cut_gaps(Trace& trace, Duration longest) {
    for (TraceSession& session : trace.sessions)
        for (TraceCall& call : session.calls)
            call.gap = std::min(call.gap, longest);
}

void spread_starts(Trace& trace, Duration over, uint64_t seed) {
    for (uint32_t s = 0; s < trace.sessions.size(); ++s)
        if (!trace.sessions[s].parent)
            trace.sessions[s].start =
                Instant() + Duration::nanoseconds(Rng(Rng(seed).next() + s).between(0, over.ns()));
}

}  // namespace brigada
