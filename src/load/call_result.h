// CallResult: everything that was seen of one call, as plain times and counts. Figures, tables and
// files are made of these and of nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/usage.h"

namespace brigada {

enum class CallOutcome : uint8_t {
    finished,    // answered whole
    failed,      // refused, broken or too late
    unfinished,  // still under way when the run ended
};

/// How the output tokens of an answer were counted.
enum class TokenCount : uint8_t {
    usage,      // as the server reported
    tokenizer,  // it reported none: its text, by the model's tokenizer
    events,     // neither: events with output, which may hold several tokens each
};

struct CallResult {
    uint32_t session = 0;  // of the trace
    uint32_t call = 0;
    uint64_t play = 0;
    bool sub_agent = false;
    bool user = true;       // begins a turn
    bool in_window = true;  // due after the warm-up and before the end
    uint32_t wanted_prompt = 0, wanted_output = 0;

    // On one clock; never() for what did not come. Of the last attempt, except for `due`.
    Instant due;
    Instant began = Instant::never();        // the first attempt
    Instant tried = Instant::never();        // the last attempt
    Instant sent = Instant::never();         // the last byte of the request had left
    Instant head = Instant::never();         // the answer's head was there
    Instant first_byte = Instant::never();   // of its body
    Instant first_token = Instant::never();  // text, reasoning or a tool call
    Instant last_token = Instant::never();
    Instant ended = Instant::never();  // the answer's proper end, or the failure

    CallOutcome outcome = CallOutcome::unfinished;
    int status = 0;          // of HTTP; 0: no answer
    std::string cause = {};  // of a failure, in few words, the same for the same cause
    uint32_t attempts = 1;

    Usage usage = {};
    bool usage_told = false;
    uint32_t output_tokens = 0;
    TokenCount counted_by = TokenCount::events;
    uint32_t first_tokens = 0;   // that came with the first token, in one piece
    uint32_t later_tokens = 0;   // that came after it; an end token nobody sees is in neither
    uint32_t pieces = 0;         // arrivals with output
    uint32_t bundles = 0;        // those of several tokens
    uint32_t window_tokens = 0;  // that came inside the measured window, finished or not

    bool finished() const { return outcome == CallOutcome::finished; }

    /// From the request sent in full to the first token. nullopt: there was none.
    std::optional<Duration> ttft() const { return between(sent, first_token); }
    std::optional<Duration> time_to_first_byte() const { return between(sent, first_byte); }
    /// From the first attempt to the end.
    std::optional<Duration> e2e() const { return between(began, ended); }
    /// How much later than it was due the call began.
    std::optional<Duration> lateness() const { return between(due, began); }
    /// Mean gap of the tokens that came after the first piece: those in it came together, so only
    /// the others have a gap. nullopt when there are none.
    std::optional<Duration> tpot() const {
        const auto span = between(first_token, last_token);
        if (!span || later_tokens == 0) return {};
        return *span / later_tokens;
    }

  private:
    static std::optional<Duration> between(Instant from, Instant to) {
        if (from == Instant::never() || to == Instant::never()) return {};
        return to - from;
    }
};

}  // namespace brigada
