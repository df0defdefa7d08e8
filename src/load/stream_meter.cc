#include "load/stream_meter.h"

#include <algorithm>

#include "tokens/tokenizer.h"

namespace brigada {

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

}  // namespace

StreamMeter::StreamMeter(Dialect dialect, const Tokenizer* tokenizer)
    : tokenizer_(tokenizer), reader_(make_answer_reader(dialect)) {}

Result<void> StreamMeter::feed(std::string_view bytes, Instant now) {
    const AnswerSink sink = [&](const AnswerEvent& event) { take(event, now); };
    TRY(const auto events, splitter_.feed(bytes));
    for (const std::string_view event : events) {
        const std::string_view data = event_data(event, joined_);
        if (!data.empty()) TRY(reader_->event(data, sink));
    }
    return {};
}

Result<void> StreamMeter::whole(std::string_view json, Instant now) {
    return reader_->whole(json, [&](const AnswerEvent& event) { take(event, now); });
}

void StreamMeter::take(const AnswerEvent& event, Instant now) {
    std::visit(Overloaded{
                   [&](const AnswerBegan& began) {
                       if (began.usage) usage_ = began.usage;
                   },
                   [&](const TextDelta& delta) { output(delta.text.raw, now); },
                   [&](const ThinkingDelta& delta) { output(delta.text.raw, now); },
                   [&](const RedactedThinking& delta) { output(delta.data.raw, now); },
                   [&](const RefusalDelta& delta) { output(delta.text.raw, now); },
                   [&](const ToolCallBegan& call) { output(call.name.raw, now); },
                   [&](const ToolArgumentsDelta& delta) { output(delta.text.raw, now); },
                   [&](const UsageTold& told) { usage_ = told.usage; },
                   [&](const AnswerEnded&) { ended_ = true; },
                   [&](const AnswerFailed& failed) { error_ = failed.error; },
                   [](const auto&) {},
               },
               event);
}

void StreamMeter::output(std::string_view escaped, Instant now) {
    if (escaped.empty()) return;
    if (pieces_.empty() || pieces_.back().at != now) pieces_.push_back({.at = now});
    ++pieces_.back().events;
    pieces_.back().bytes += static_cast<uint32_t>(escaped.size());
    ++events_;
    if (tokenizer_) text_ += escaped;
}

Instant StreamMeter::first_token() const {
    return pieces_.empty() ? Instant::never() : pieces_.front().at;
}

void StreamMeter::finish(CallResult& result, LogHistogram& gaps) {
    result.usage_told = usage_.has_value();
    if (usage_) result.usage = *usage_;
    result.output_tokens = output_tokens(result);
    if (pieces_.empty()) return;
    share_out(result.output_tokens);
    result.first_token = pieces_.front().at;
    result.last_token = pieces_.back().at;
    result.first_tokens = pieces_.front().tokens;
    result.pieces = static_cast<uint32_t>(pieces_.size());
    for (size_t i = 0; i < pieces_.size(); ++i) {
        const TokenPiece& piece = pieces_[i];
        result.bundles += piece.tokens > 1;
        if (i == 0 || piece.tokens == 0) continue;
        result.later_tokens += piece.tokens;
        gaps.add((piece.at - pieces_[i - 1].at) / piece.tokens, piece.tokens);
    }
}

uint32_t StreamMeter::tokens_between(Instant from, Instant to) const {
    uint32_t out = 0;
    for (const TokenPiece& piece : pieces_)
        if (piece.at >= from && piece.at <= to) out += piece.tokens;
    return out;
}

uint32_t StreamMeter::output_tokens(CallResult& result) const {
    if (usage_ && usage_->output > 0) {
        result.counted_by = TokenCount::usage;
        return static_cast<uint32_t>(usage_->output);
    }
    if (tokenizer_ && !text_.empty()) {
        result.counted_by = TokenCount::tokenizer;
        return static_cast<uint32_t>(tokenizer_->count(unescaped({text_}), Specials::recognise));
    }
    result.counted_by = TokenCount::events;
    return events_;
}

// One token for each event when that is what came, give or take an end token nobody sees. Else a
// piece has the share of the tokens that it has of the bytes, and one at least while there are
// enough.
void StreamMeter::share_out(uint32_t tokens) {
    if (tokens == events_ || tokens == events_ + 1) {
        for (TokenPiece& piece : pieces_)
            piece.tokens = piece.events;
        return;
    }
    const uint64_t count = pieces_.size();
    uint64_t bytes = 0, bytes_before = 0, given = 0;
    for (const TokenPiece& piece : pieces_)
        bytes += piece.bytes;
    for (uint64_t i = 0; i < count; ++i) {
        bytes_before += pieces_[i].bytes;
        uint64_t due = (tokens * bytes_before + bytes / 2) / bytes;
        if (tokens >= count) due = std::clamp(due, i + 1, tokens - (count - 1 - i));
        due = std::max(due, given);
        pieces_[i].tokens = static_cast<uint32_t>(due - given);
        given = due;
    }
}

}  // namespace brigada
