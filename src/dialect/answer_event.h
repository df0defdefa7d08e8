// AnswerEvent: one step of a model's answer, whichever dialect tells it. Readers make them of an
// upstream's stream or whole answer, writers make the client's of them, and the embedded engine
// speaks them itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/usage.h"
#include "dialect/dialect_error.h"
#include "dialect/escaped.h"

namespace brigada {

/// The first event, once; only a failure may come before it. Views in events live as long as the
/// call they are passed to.
struct AnswerBegan {
    Escaped id = {};
    Escaped model = {};
    int64_t created_unix = 0;         // seconds; 0: not told
    std::optional<Usage> usage = {};  // what is known before the first token
};

struct TextDelta {
    uint32_t choice = 0;
    Escaped text = {};
    RawJson logprobs = {};  // a list of its tokens', as OpenAI's APIs have it; none: not told
};

struct ThinkingDelta {
    uint32_t choice = 0;
    Escaped text = {};
};

/// Ends the thinking block that is open; the proof of what was thought.
struct ThinkingSigned {
    uint32_t choice = 0;
    Escaped signature = {};
};

struct RedactedThinking {
    uint32_t choice = 0;
    Escaped data = {};
};

struct RefusalDelta {
    uint32_t choice = 0;
    Escaped text = {};
};

/// `call` counts the calls of a choice from 0. Calls of one choice may be told side by side.
/// Without an id where the upstream gave none: writers make one.
struct ToolCallBegan {
    uint32_t choice = 0;
    uint32_t call = 0;
    Escaped id = {};
    Escaped name = {};
};

/// A piece of the arguments' JSON text, as it stands inside a string.
struct ToolArgumentsDelta {
    uint32_t choice = 0;
    uint32_t call = 0;
    Escaped text = {};
};

/// The README's table has each dialect's word. `paused`: the model wants to be called again with
/// what it said, and goes on.
enum class AnswerEnd : uint8_t {
    stop,
    stop_sequence,
    length,
    tool_calls,
    content_filter,
    refusal,
    paused
};

struct ChoiceEnded {
    uint32_t choice = 0;
    AnswerEnd reason = AnswerEnd::stop;
    Escaped stop_sequence = {};  // of AnswerEnd::stop_sequence, where it is told
};

/// As far as it is known; the last one counts.
struct UsageTold {
    Usage usage = {};
    std::optional<int64_t> reasoning_tokens = {};  // of the output
};

/// The answer is whole. Nothing follows.
struct AnswerEnded {};

/// The answer broke. Nothing follows.
struct AnswerFailed {
    DialectError error = {};
};

using AnswerEvent = std::variant<AnswerBegan, TextDelta, ThinkingDelta, ThinkingSigned,
                                 RedactedThinking, RefusalDelta, ToolCallBegan, ToolArgumentsDelta,
                                 ChoiceEnded, UsageTold, AnswerEnded, AnswerFailed>;

using AnswerSink = std::function<void(const AnswerEvent&)>;

}  // namespace brigada
