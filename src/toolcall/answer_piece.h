// AnswerPiece: what an answer consists of, piece by piece, in the order in which a model wrote it.
// Every dialect renders its stream from these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brigada {

struct AnswerPiece {
    enum class Kind {
        text,            // for the user
        thinking,        // reasoning, apart from the text
        tool_call,       // a call begins: `call`, `id`, `name`
        tool_arguments,  // more of its arguments: with the other pieces of the call a JSON object
        broken_call,     // call `call` was announced and is none: `text` is all the model wrote of
                         // it, `reason` says why. What was sent of its arguments is unfinished.
    };

    Kind kind = Kind::text;
    std::string text{};    // characters; of tool_arguments a fragment of JSON
    uint32_t call = 0;     // counts the calls of one answer from 0
    std::string id{};      // unique among answers
    std::string name{};    // of the tool
    std::string reason{};  // of a broken call, and of text that was to be a call: for the log

    bool operator==(const AnswerPiece&) const = default;
};

using AnswerPieces = std::vector<AnswerPiece>;

/// Appends text of a kind that has nothing else; what follows its like joins it.
void append_text(AnswerPieces& pieces, AnswerPiece::Kind kind, std::string_view text);

}  // namespace brigada
