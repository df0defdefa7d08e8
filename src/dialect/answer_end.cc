#include "dialect/answer_end.h"

#include <algorithm>
#include <array>

namespace brigada {

namespace {

struct WordRow {
    std::string_view word;
    AnswerEnd end;
};

constexpr std::array kWords{
    WordRow{"stop", AnswerEnd::stop},
    WordRow{"length", AnswerEnd::length},
    WordRow{"tool_calls", AnswerEnd::tool_calls},
    WordRow{"function_call", AnswerEnd::tool_calls},
    WordRow{"content_filter", AnswerEnd::content_filter},
    WordRow{"end_turn", AnswerEnd::stop},
    WordRow{"stop_sequence", AnswerEnd::stop_sequence},
    WordRow{"max_tokens", AnswerEnd::length},
    WordRow{"model_context_window_exceeded", AnswerEnd::length},
    WordRow{"tool_use", AnswerEnd::tool_calls},
    WordRow{"refusal", AnswerEnd::refusal},
    WordRow{"pause_turn", AnswerEnd::paused},
    WordRow{"max_output_tokens", AnswerEnd::length},
};

}  // namespace

AnswerEnd answer_end_of(std::string_view word) {
    const auto found = std::ranges::find(kWords, word, &WordRow::word);
    return found == kWords.end() ? AnswerEnd::stop : found->end;
}

std::string_view chat_finish_reason(AnswerEnd end, bool told_refusal) {
    switch (end) {
        case AnswerEnd::length:
            return "length";
        case AnswerEnd::tool_calls:
            return "tool_calls";
        case AnswerEnd::content_filter:
            return "content_filter";
        case AnswerEnd::refusal:
            return told_refusal ? "stop" : "content_filter";
        case AnswerEnd::stop:
        case AnswerEnd::stop_sequence:
        case AnswerEnd::paused:
            break;
    }
    return "stop";
}

std::string_view messages_stop_reason(AnswerEnd end) {
    switch (end) {
        case AnswerEnd::stop:
            return "end_turn";
        case AnswerEnd::stop_sequence:
            return "stop_sequence";
        case AnswerEnd::length:
            return "max_tokens";
        case AnswerEnd::tool_calls:
            return "tool_use";
        case AnswerEnd::content_filter:
        case AnswerEnd::refusal:
            return "refusal";
        case AnswerEnd::paused:
            return "pause_turn";
    }
    return "end_turn";
}

std::string_view responses_incomplete_reason(AnswerEnd end, bool told_refusal) {
    if (end == AnswerEnd::length) return "max_output_tokens";
    const bool filtered =
        end == AnswerEnd::content_filter || (end == AnswerEnd::refusal && !told_refusal);
    return filtered ? "content_filter" : "";
}

}  // namespace brigada
