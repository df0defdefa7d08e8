// StreamMeter: reads one answer as it comes and notes when how many tokens came. A piece is what
// one read from the connection brought; it may hold several tokens, and then counts as that many.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/answer_reader.h"
#include "dialect/event_splitter.h"
#include "load/call_result.h"
#include "load/log_histogram.h"

namespace brigada {

class Tokenizer;

/// Tokens that came at one time.
struct TokenPiece {
    Instant at;
    uint32_t events = 0;  // with output
    uint32_t bytes = 0;   // of output, as JSON has it
    uint32_t tokens = 0;  // known at the end
};

class StreamMeter {
  public:
    /// `tokenizer` may be null; it counts answers whose usage is not told.
    StreamMeter(Dialect dialect, const Tokenizer* tokenizer);

    /// Bytes of a streamed answer's body that came at `now`. Errors: corrupt, too_large: what came
    /// is no stream of this dialect.
    Result<void> feed(std::string_view bytes, Instant now);
    /// The same of an answer that is one JSON body.
    Result<void> whole(std::string_view json, Instant now);

    /// Whether the end that the dialect demands has passed.
    bool ended() const { return ended_; }
    /// What the server reported inside the stream.
    const std::optional<DialectError>& error() const { return error_; }
    /// Of the call, so far.
    uint32_t events() const { return events_; }
    Instant first_token() const;

    /// Fills in what is about the answer; the gaps between tokens go to `gaps`.
    void finish(CallResult& result, LogHistogram& gaps);

    /// After finish(): tokens that came in [from, to].
    uint32_t tokens_between(Instant from, Instant to) const;

  private:
    void take(const AnswerEvent& event, Instant now);
    void output(std::string_view escaped, Instant now);
    uint32_t output_tokens(CallResult& result) const;
    void share_out(uint32_t tokens);

    const Tokenizer* tokenizer_;
    std::unique_ptr<AnswerReader> reader_;
    EventSplitter splitter_;
    std::string joined_;
    std::string text_;  // escaped; kept only for a tokenizer
    std::vector<TokenPiece> pieces_;
    std::optional<Usage> usage_;
    std::optional<DialectError> error_;
    uint32_t events_ = 0;
    bool ended_ = false;
};

}  // namespace brigada
