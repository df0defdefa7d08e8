// Trace: what clients ask of a fleet, as it was recorded or made up: sessions of calls whose
// prompts are runs of named blocks. Every format is read into this and written from it; the
// simulator and the load generator play it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace brigada {

/// `count` blocks named first, first + 1, ...: two blocks of a trace have one name exactly when
/// they hold the same tokens after the same tokens.
struct BlockRun {
    uint32_t first = 0;
    uint32_t count = 0;
    bool operator==(const BlockRun&) const = default;
};

/// One request and the answer to it. The prompt's blocks are the first `keep_blocks` of the
/// session's call before, then `added`: all of its full blocks, and the partial last one where
/// there is one.
struct TraceCall {
    Duration gap = {};   // from the end of the call before, and of the sub-agents it began (closed
                         // loop); first call: 0
    uint32_t model = 0;  // index into Trace::models
    uint32_t prompt_tokens = 0;  // at least 1
    uint32_t output_tokens = 0;  // at least 1
    uint32_t keep_blocks = 0;
    std::vector<BlockRun> added = {};
    bool user = true;  // begins a turn; otherwise it brings tool results
    std::optional<Duration> recorded_time =
        {};  // what the answer took where it was recorded, all of it
    std::optional<Duration> recorded_ttft = {};
    bool operator==(const TraceCall&) const = default;
};

/// A sub-agent begins when this call of its parent is answered; the parent's next call waits for
/// it.
struct ParentCall {
    uint32_t session = 0;  // index into Trace::sessions, of a session that stands before
    uint32_t call = 0;
    bool operator==(const ParentCall&) const = default;
};

/// Calls that follow one another: the client sends the next one when the answer is there and `gap`
/// is over.
struct TraceSession {
    std::string name = {};
    Instant start = {};   // of the first call; a sub-agent's counts from its parent's call
    uint32_t tenant = 0;  // index into Trace::tenants
    std::optional<ParentCall> parent = {};
    uint32_t system_tokens = 0;  // tools and system prompt, at the beginning of every prompt
    std::vector<TraceCall> calls = {};
    bool operator==(const TraceSession&) const = default;
};

struct Trace {
    std::string origin = {};  // what it came from, for people: "mooncake_conversation.jsonl.zst"
    uint32_t block_tokens = 16;
    std::vector<std::string> models = {};   // at least one
    std::vector<std::string> tenants = {};  // at least one
    std::vector<TraceSession> sessions = {};
    uint32_t names = 0;  // block names are below this
    bool operator==(const Trace&) const = default;

    uint64_t calls() const;  // of all sessions
};

/// Tokens at the beginning of `call`'s prompt that the session's call before had, too.
uint32_t kept_tokens(const TraceCall& call, uint32_t block_tokens);

/// Blocks of a prompt, a partial one included.
uint32_t blocks_of(uint32_t tokens, uint32_t block_tokens);

/// What holds of every trace: indices that exist, parents that stand before, as many blocks as the
/// prompt needs, names that always follow the same name. Error::invalid_argument names the first
/// session and call where something doesn't.
Result<void> check(const Trace& trace);

}  // namespace brigada
