// AnswerEvents as text, one line each, for tests: what a reader told, readable at a glance.
#pragma once

#include <string>
#include <vector>

#include "base/concat.h"
#include "dialect/answer_end.h"
#include "dialect/answer_reader.h"

namespace brigada {

struct ShowEvent {
    std::string operator()(const AnswerBegan& e) const {
        return concat("began ", e.id.raw, " ", e.model.raw, " ", e.created_unix);
    }
    std::string operator()(const TextDelta& e) const { return of(e.choice, "text", e.text); }
    std::string operator()(const ThinkingDelta& e) const { return of(e.choice, "think", e.text); }
    std::string operator()(const ThinkingSigned& e) const {
        return of(e.choice, "signed", e.signature);
    }
    std::string operator()(const RedactedThinking& e) const {
        return of(e.choice, "redacted", e.data);
    }
    std::string operator()(const RefusalDelta& e) const { return of(e.choice, "refuse", e.text); }
    std::string operator()(const ToolCallBegan& e) const {
        return concat(of(e.choice, "call", e.id), " ", e.name.raw, " #", e.call);
    }
    std::string operator()(const ToolArgumentsDelta& e) const {
        return concat(of(e.choice, "arguments", e.text), " #", e.call);
    }
    std::string operator()(const ChoiceEnded& e) const {
        return of(e.choice, concat("ended ", messages_stop_reason(e.reason)), e.stop_sequence);
    }
    std::string operator()(const UsageTold& e) const {
        return concat("usage ", e.usage.input, "+", e.usage.cached_input, "+", e.usage.cache_write,
                      " -> ", e.usage.output, " (", e.reasoning_tokens.value_or(-1), ")");
    }
    std::string operator()(const AnswerEnded&) const { return "end"; }
    std::string operator()(const AnswerFailed& e) const {
        return concat("failed ", messages_error_type(e.error.kind), ": ", e.error.message);
    }

    /// "text hello", "text/1 hello" of the second choice.
    static std::string of(uint32_t choice, std::string_view what, Escaped text) {
        const std::string number = choice ? concat("/", choice) : "";
        return concat(what, number, text.empty() ? "" : " ", text.raw);
    }
};

inline std::string shown(const AnswerEvent& event) {
    return std::visit(ShowEvent(), event);
}

/// What a stream of these events says.
inline std::vector<std::string> told_by(Dialect from, const std::vector<std::string>& events) {
    const auto reader = make_answer_reader(from);
    std::vector<std::string> out;
    for (const std::string& data : events) {
        const Result<void> read =
            reader->event(data, [&](const AnswerEvent& event) { out.push_back(shown(event)); });
        if (!read.ok()) out.push_back(concat("error: ", read.error().message));
    }
    return out;
}

/// What a whole answer says.
inline std::vector<std::string> told_whole(Dialect from, std::string_view json) {
    std::vector<std::string> out;
    const Result<void> read = make_answer_reader(from)->whole(
        json, [&](const AnswerEvent& event) { out.push_back(shown(event)); });
    if (!read.ok()) out.push_back(concat("error: ", read.error().message));
    return out;
}

}  // namespace brigada
