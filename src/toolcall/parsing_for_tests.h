// What tests of parsers share: an answer cut into portions, parsed, and put together again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/concat.h"
#include "base/json.h"
#include "toolcall/answer_parser.h"

namespace brigada {

/// The pieces of an answer, put together.
struct ParsedAnswer {
    struct Call {
        std::string id, name, arguments;
        bool is_broken = false;

        bool operator==(const Call&) const = default;
    };

    std::string text;  // broken calls are in it
    std::string reasoning;
    std::vector<Call> calls;
    std::vector<std::string> reasons;

    bool operator==(const ParsedAnswer&) const = default;

    void add(const AnswerPiece& piece) {
        using Kind = AnswerPiece::Kind;
        if (piece.kind == Kind::thinking) reasoning += piece.text;
        if (piece.kind == Kind::text || piece.kind == Kind::broken_call) text += piece.text;
        if (piece.kind == Kind::tool_call) calls.push_back({piece.id, piece.name, {}});
        if (piece.kind == Kind::tool_arguments) calls.at(piece.call).arguments += piece.text;
        if (piece.kind == Kind::broken_call) calls.at(piece.call).is_broken = true;
        if (!piece.reason.empty()) reasons.push_back(piece.reason);
    }

    /// For comparisons in one line: text|reasoning|name(arguments)..., a broken call with "!".
    std::string summary() const {
        std::string out = concat(text, '|', reasoning, '|');
        for (const Call& call : calls)
            out += concat(call.is_broken ? "!" : "", call.name, '(', call.arguments, ')');
        return out;
    }
};

inline ParsedAnswer parse_answer(const AnswerFormat& format, const AnswerRules& rules,
                                 const ToolList& tools,
                                 const std::vector<std::string_view>& portions) {
    const auto parser = make_answer_parser(format, rules, tools);
    AnswerPieces pieces;
    for (const std::string_view portion : portions)
        parser->feed(portion, pieces);
    parser->finish(pieces);
    ParsedAnswer out;
    for (const AnswerPiece& piece : pieces)
        out.add(piece);
    return out;
}

inline std::vector<std::string_view> byte_by_byte(std::string_view text) {
    std::vector<std::string_view> out;
    for (size_t i = 0; i < text.size(); ++i)
        out.push_back(text.substr(i, 1));
    return out;
}

inline Json some_tools() {
    return Json::parse(R"([
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object",
            "properties": {"a": {"type": "integer"}, "s": {"type": "string"},
                           "list": {"type": "array"}}}}},
        {"type": "function", "function": {"name": "g"}}])");
}

inline AnswerFormat format_named(const std::string& tools, const std::string& reasoning = "auto") {
    return *choose_answer_format("", {tools, reasoning});
}

}  // namespace brigada
