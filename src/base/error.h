// Error: what the world did wrong, as a code for machines and one sentence for people. The sentence
// names the thing, the value and what would have worked.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace brigada {

/// Why something failed, in the classes a caller can act on. `api` maps each to an HTTP status.
enum class Code {
    invalid_argument,  // the caller's input is wrong; the same call fails again
    not_found,         // no such model, file, id or route
    unsupported,       // well-formed, but this build cannot do it
    corrupt,           // a file or stream contradicts itself
    too_large,         // over a fixed limit: body, context, queue entry
    exhausted,         // over a limit that time frees: queue full, no blocks
    unavailable,       // not ready, draining, or a peer is away
    unauthenticated,   // no valid key
    forbidden,         // a valid key without the right
    deadline,          // took too long
    cancelled,         // the client went away
    io,                // disk or network failed
    internal,          // our fault, seen at an edge
};

std::string_view to_string(Code code);

struct [[nodiscard]] Error {
    Code code = Code::internal;
    std::string message;

    /// The same error, told from further out: "reading config.json: <message>".
    Error in(std::string_view context) && {
        return {code, std::string(context) + ": " + std::move(message)};
    }
};

}  // namespace brigada
