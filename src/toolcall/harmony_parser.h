// HarmonyParser: answers of gpt-oss: messages in channels, each with a header and a body. The
// prompt ends within the first header.
//
//     <|channel|>analysis<|message|>reasoning<|end|>
//     <|start|>assistant<|channel|>commentary to=functions.f
//     <|constrain|>json<|message|>{...}<|call|>
//     <|start|>assistant<|channel|>final<|message|>text<|return|>
//
// Source: OpenAI's description of the Harmony response format.
#pragma once

#include <array>
#include <string_view>

#include "toolcall/answer_parser.h"
#include "toolcall/call_writer.h"
#include "toolcall/json_arguments.h"
#include "toolcall/unread.h"

namespace brigada {

inline constexpr std::array<std::string_view, 7> kHarmonyMarkers = {
    "<|end|>",     "<|call|>",    "<|return|>",   "<|start|>",
    "<|channel|>", "<|message|>", "<|constrain|>"};

class HarmonyParser : public AnswerParser {
  public:
    HarmonyParser(AnswerRules rules, const ToolList& tools);

    void feed(std::string_view text, AnswerPieces& out) override;
    void finish(AnswerPieces& out) override;
    bool is_reasoning() const override {
        return stage_ == Stage::body && kind_ == AnswerPiece::Kind::thinking;
    }
    uint32_t calls() const override { return writer_.calls(); }

  private:
    enum class Stage { header, body, arguments, call_end };

    void run(AnswerPieces& out);
    bool step(AnswerPieces& out);
    bool header(AnswerPieces& out);
    void begin_message(std::string_view header, AnswerPieces& out);
    void begin_body(AnswerPiece::Kind kind, AnswerPieces& out);
    bool body(AnswerPieces& out);
    bool arguments();
    bool call_end();
    bool give_up(std::string_view reason);
    void end_message(std::string_view marker);

    CallWriter writer_;
    Unread in_;
    Stage stage_;
    AnswerPiece::Kind kind_ = AnswerPiece::Kind::text;  // of the body at hand
    bool has_text_ = false;                             // an earlier message had some
    bool has_reasoning_ = false;
    bool text_is_last_;  // nothing in it is a marker
    JsonArguments arguments_;
};

}  // namespace brigada
