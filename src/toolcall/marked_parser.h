// MarkedParser: answers that are one text, in which markers set reasoning and calls apart: every
// format but Harmony.
//
//     white space? <think> reasoning </think> white space? text and calls
//
// White space next to reasoning and calls is layout and is dropped.
#pragma once

#include <memory>
#include <optional>

#include "toolcall/answer_parser.h"
#include "toolcall/call_reader.h"
#include "toolcall/call_writer.h"
#include "toolcall/unread.h"

namespace brigada {

class MarkedParser : public AnswerParser {
  public:
    MarkedParser(const AnswerFormat& format, AnswerRules rules, const ToolList& tools);

    void feed(std::string_view text, AnswerPieces& out) override;
    void finish(AnswerPieces& out) override;
    bool is_reasoning() const override { return stage_ == Stage::reasoning; }
    uint32_t calls() const override { return writer_.calls(); }

  private:
    enum class Stage { start, reasoning, text, call };

    void run(AnswerPieces& out);
    bool step(AnswerPieces& out);
    bool start();
    bool reasoning(AnswerPieces& out);
    bool text(AnswerPieces& out);
    bool call(AnswerPieces& out);
    void begin_call(size_t at);
    void give_up(std::string_view reason);

    bool drop_space();
    void send(AnswerPiece::Kind kind, size_t bytes, AnswerPieces& out);
    bool may_begin_here() const;
    bool is_undecided();

    const ReasoningFormat& reasoning_format_;
    const ToolFormat* format_;  // null: calls are text
    CallWriter writer_;
    Unread in_;
    Stage stage_;
    bool drops_space_ = false;  // white space that comes next is layout
    bool has_text_ = false;     // an unmarked call can stand only before all text
    bool calls_or_text_;        // once it is text it calls nobody
    std::unique_ptr<CallReader> reader_;
};

}  // namespace brigada
