// BlockLine: lines the blocks of one choice up. Upstreams may tell calls side by side and text
// between them; Anthropic's blocks and the items of a response follow each other, and what is told
// is never taken back. So a block that cannot begin yet is kept until the one before it is over:
// a text when the next block begins, a call when its arguments are whole JSON.
#pragma once

#include <deque>

#include "dialect/answer_block.h"
#include "dialect/answer_event.h"

namespace brigada {

/// What a stream does with blocks that follow each other: begin, text (any times), end.
class BlockSink {
  public:
    virtual ~BlockSink() = default;
    virtual void begin_block(const AnswerBlock& block) = 0;
    /// `logprobs` are of the text's tokens, where they are told: the elements of a list.
    virtual void block_text(const AnswerBlock& block, Escaped text, std::string_view logprobs) = 0;
    /// `block` has its whole text now.
    virtual void end_block(const AnswerBlock& block) = 0;
};

/// Follows JSON text through the string it stands in, piece by piece, and tells when its object or
/// array is closed.
class JsonBalance {
  public:
    void feed(Escaped text);
    bool whole() const { return opened_ && depth_ == 0 && !in_string_; }

  private:
    void feed_character(char c);

    int64_t depth_ = 0;
    bool opened_ = false;
    bool in_string_ = false;
    bool after_backslash_ = false;
};

class BlockLine {
  public:
    using Kind = AnswerBlock::Kind;

    explicit BlockLine(BlockSink& sink) : sink_(sink) {}

    /// Text, thinking or refusal.
    void text(Kind kind, Escaped text, std::string_view logprobs = {});
    /// Ends the thinking that is told last; begins one without text where there is none.
    void sign(Escaped signature);
    void redacted(Escaped data);
    void begin_call(uint32_t call, Escaped id, Escaped name);
    /// What follows the end of a call's JSON is dropped.
    void arguments(uint32_t call, Escaped text);
    /// Ends what is open and tells what is kept.
    void finish();

  private:
    struct Place {
        AnswerBlock block;
        JsonBalance balance = {};  // of a call
    };

    void queue(AnswerBlock block);
    void add(Place& place, Escaped text, std::string_view logprobs = {});
    void advance();
    void begin_front();
    void end_front();
    bool front_may_end() const;

    BlockSink& sink_;
    std::deque<Place> line_;  // the first has begun
};

/// For the visitors of dialects that tell one answer, block by block: those events of the first
/// choice that make its blocks.
class FirstChoiceBlocks : protected BlockSink {
  public:
    void operator()(const TextDelta& delta) {
        if (delta.choice == 0)
            line_.text(BlockLine::Kind::text, delta.text, elements_of(delta.logprobs));
    }
    void operator()(const ThinkingDelta& delta) { text(delta, BlockLine::Kind::thinking); }
    void operator()(const RefusalDelta& delta) { text(delta, BlockLine::Kind::refusal); }
    void operator()(const ThinkingSigned& thinking) {
        if (thinking.choice == 0) line_.sign(thinking.signature);
    }
    void operator()(const RedactedThinking& thinking) {
        if (thinking.choice == 0) line_.redacted(thinking.data);
    }
    void operator()(const ToolCallBegan& call) {
        if (call.choice == 0) line_.begin_call(call.call, call.id, call.name);
    }
    void operator()(const ToolArgumentsDelta& delta) {
        if (delta.choice == 0) line_.arguments(delta.call, delta.text);
    }

  protected:
    void finish_blocks() { line_.finish(); }

  private:
    template <typename Delta>
    void text(const Delta& delta, BlockLine::Kind kind) {
        if (delta.choice == 0) line_.text(kind, delta.text);
    }

    BlockLine line_{*this};
};

}  // namespace brigada
