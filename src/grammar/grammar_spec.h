// GrammarSpec: what a request asks its answer to look like, and its way to a Grammar.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "grammar/grammar.h"

namespace brigada {

struct GrammarSpec {
    enum class Kind {
        json_object,  // any object
        json_schema,  // `text` is a schema
        regex,        // `text` is an expression that matches the whole answer
        choice,       // `text` is a JSON list of strings, one of which is the answer
        gbnf,         // `text` is a grammar in llama.cpp's notation
        tool_calls,   // `text` is what read_tool_calls() reads
    };
    Kind kind = Kind::json_object;
    std::string text{};
    bool compact = false;  // JSON without white space
    std::string field{};   // of the request, for messages: "response_format.json_schema.schema"
    std::string calls{};   // what read_calls_or_text() reads: such an answer is one, too; "": none
};

/// Bytes of `text`, and of `calls`.
inline constexpr size_t kMaxGrammarText = 1 << 20;

/// Pure work of microseconds for ordinary schemas, up to seconds for hostile ones. Errors begin
/// with the field, or name the tool: ::invalid_argument, ::unsupported for what cannot be honoured,
/// what can't be told from a call, or is too large.
Result<std::shared_ptr<const Grammar>> compile_grammar(const GrammarSpec& spec);

}  // namespace brigada
