// CallReader: reads calls in the way one family of models writes them, from the first byte of their
// opening, as far as text has come.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "toolcall/call_writer.h"
#include "toolcall/unread.h"

namespace brigada {

struct Reading {
    enum class State {
        wait,    // for more text
        call,    // a call has ended, and more may follow
        done,    // what is unread is text again
        broken,  // what was used since the last call is none; `reason` says why
    };
    State state = State::wait;
    std::string_view reason{};  // of broken; a literal

    static Reading wait() { return {}; }
    static Reading call() { return {State::call}; }
    static Reading done() { return {State::done}; }
    static Reading broken(std::string_view reason) { return {State::broken, reason}; }
};

/// Nothing when it was taken: go on; else what a reader says then.
inline std::optional<Reading> unless_taken(Taken taken, std::string_view reason) {
    if (taken == Taken::yes) return std::nullopt;
    return taken == Taken::wait ? Reading::wait() : Reading::broken(reason);
}

class CallReader {
  public:
    virtual ~CallReader() = default;

    /// Goes on reading. It uses text only when it knows what it is, so cuts do not matter, and
    /// says `broken` at the first byte that cannot be there.
    virtual Reading read(Unread& in, CallWriter& out) = 0;
};

// Reasons that several readers have.
inline constexpr std::string_view kNoOpening = "this does not open a call";
inline constexpr std::string_view kNoCall = "no call follows where one must";
inline constexpr std::string_view kNoName = "the function's name is missing";
inline constexpr std::string_view kNoCallEnd = "text follows where the call should end";
inline constexpr std::string_view kCutOff = "the answer ended within the call";

}  // namespace brigada
