// Why an answer ended, in each dialect's words. The README has the whole table.
#pragma once

#include <string_view>

#include "dialect/answer_event.h"

namespace brigada {

/// Of a finish_reason, a stop_reason, or the reason of incomplete_details. A word nobody knows is
/// an ordinary stop.
AnswerEnd answer_end_of(std::string_view word);

/// An answer with calls that merely "stopped" wants them to be made: some engines say so.
constexpr AnswerEnd end_with_calls(AnswerEnd end, bool has_calls) {
    return end == AnswerEnd::stop && has_calls ? AnswerEnd::tool_calls : end;
}

/// "stop", "length", ... A refusal that was told as text is an ordinary stop in OpenAI's dialects.
std::string_view chat_finish_reason(AnswerEnd end, bool told_refusal);

/// "end_turn", "max_tokens", ...
std::string_view messages_stop_reason(AnswerEnd end);

/// "max_output_tokens" or "content_filter"; empty for a response that is complete.
std::string_view responses_incomplete_reason(AnswerEnd end, bool told_refusal);

}  // namespace brigada
