// AnswerParser: takes one answer apart while it is written: text in portions of any size in, pieces
// out. How the text was cut never changes what the pieces are, put together. Nothing that was sent
// is taken back, and nothing a model wrote is lost: what was to be a call and is none comes back as
// text, byte for byte.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "toolcall/answer_format.h"
#include "toolcall/answer_piece.h"
#include "toolcall/tool_list.h"

namespace brigada {

/// Of one answer. Each choice of a request has its own parser, and a salt of its own.
struct AnswerRules {
    bool starts_in_reasoning = false;  // the prompt has opened it
    bool continues_text = false;       // the prompt ends within the text of the answer
    bool one_call_only = false;        // parallel_tool_calls: false
    bool calls_or_text = false;        // it is calls or, from the first word on, text
    std::string id_salt{};             // ids of calls differ between salts
};

class AnswerParser {
  public:
    virtual ~AnswerParser() = default;

    /// More text: appends the pieces that are certain now. Whole characters in, whole characters
    /// out.
    virtual void feed(std::string_view text, AnswerPieces& out) = 0;

    /// The answer has ended: appends what was held back. A call that is not complete is none.
    virtual void finish(AnswerPieces& out) = 0;

    /// Whether what comes next is reasoning, as far as is known.
    virtual bool is_reasoning() const = 0;

    /// Complete calls so far.
    virtual uint32_t calls() const = 0;
};

/// Borrows the tools; without any, calls are text.
std::unique_ptr<AnswerParser> make_answer_parser(const AnswerFormat& format, AnswerRules rules,
                                                 const ToolList& tools);

}  // namespace brigada
