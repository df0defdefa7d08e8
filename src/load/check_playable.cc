// Whether a trace can be played: a bad one is told with session and call before anything is sent.
#include "base/concat.h"
#include "load/load_run.h"

namespace brigada {

namespace {

Error fault(const TraceSession& session, size_t call, std::string_view what) {
    return {Code::invalid_argument,
            concat("trace session '", session.name, "', call ", call, ": ", what)};
}

Result<void> check_calls(const Trace& trace, const TraceSession& session) {
    uint64_t blocks = 0;
    for (size_t i = 0; i < session.calls.size(); ++i) {
        const TraceCall& call = session.calls[i];
        if (call.keep_blocks > blocks)
            return fault(
                session, i,
                concat("keeps ", call.keep_blocks, " blocks of a prompt that had ", blocks));
        blocks = call.keep_blocks;
        for (const BlockRun& run : call.added) {
            if (uint64_t{run.first} + run.count > trace.names)
                return fault(
                    session, i,
                    concat("names block ", run.first + run.count - 1, " of ", trace.names));
            blocks += run.count;
        }
        if (call.prompt_tokens == 0 || call.output_tokens == 0)
            return fault(session, i, "has no tokens of prompt or output");
        if (blocks * trace.block_tokens < call.prompt_tokens)
            return fault(session, i,
                         concat("has ", blocks, " blocks of ", trace.block_tokens,
                                " tokens for a prompt of ", call.prompt_tokens));
    }
    return {};
}

}  // namespace

Result<void> check_playable(const Trace& trace) {
    if (trace.block_tokens == 0) return Error{Code::invalid_argument, "trace: blocks of 0 tokens"};
    bool has_root = false;
    for (size_t i = 0; i < trace.sessions.size(); ++i) {
        const TraceSession& session = trace.sessions[i];
        has_root = has_root || !session.parent;
        if (session.calls.empty()) return fault(session, 0, "there is none");
        if (session.parent &&
            (session.parent->session >= i ||
             session.parent->call >= trace.sessions[session.parent->session].calls.size()))
            return fault(session, 0, "its parent does not stand before it");
        TRY(check_calls(trace, session));
    }
    if (!has_root) return Error{Code::invalid_argument, "trace: there is no session to play"};
    return {};
}

}  // namespace brigada
