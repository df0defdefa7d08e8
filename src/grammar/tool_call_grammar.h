// A grammar whose texts are one call of a tool, in a model's own words around arguments that the
// tool's schema accepts.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_text.h"

namespace brigada {

/// `calls` is {"begin", "before_arguments", "end", "tools": [{"name", "parameters"}]}: a call is
/// begin, name, before_arguments, the arguments as JSON, end. Tools without parameters take any
/// object. Errors name the tool, the place in its schema and the keyword.
Result<Expr> read_tool_calls(JsonText& json, GrammarBuilder& builder, const Json& calls);

}  // namespace brigada
