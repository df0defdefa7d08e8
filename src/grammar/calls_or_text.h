// Answers that are calls of tools or a text of a form, as the model chooses, after its reasoning:
// what a request with tools and a response_format asks for.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_text.h"

namespace brigada {

/// `answer` is what read_tool_calls() reads. Its "format" may be null where nobody can be called,
/// and "forced" does not count; the calls stand alone, and so does `text`. Errors name the tool.
Result<Expr> read_calls_or_text(GrammarBuilder& builder, const Json& answer, Expr text);

/// What whoever reads such answers takes for a call or for reasoning from its first bytes on,
/// whatever follows; nullopt: nothing. A form with such a text can't be told from them.
std::optional<Expr> read_as_call(JsonText& json, const Json& answer);

/// An object that is no call, also where calls are objects that nothing marks: its first key is
/// none of theirs.
Result<Expr> object_but_no_call(JsonText& json, const Json& answer);

}  // namespace brigada
