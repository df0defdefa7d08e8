#include "toolcall/answer_parser.h"

#include <utility>

#include "toolcall/harmony_parser.h"
#include "toolcall/marked_parser.h"

namespace brigada {

std::unique_ptr<AnswerParser> make_answer_parser(const AnswerFormat& format, AnswerRules rules,
                                                 const ToolList& tools) {
    if (format.is_harmony()) return std::make_unique<HarmonyParser>(std::move(rules), tools);
    return std::make_unique<MarkedParser>(format, std::move(rules), tools);
}

}  // namespace brigada
