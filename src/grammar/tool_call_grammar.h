// A grammar whose texts are answers with calls of tools in them, as a model writes them: calls
// alone where the request forces some, else free text in which every call that the model begins by
// itself is one of a tool and, where the tool is strict, with arguments that its schema accepts.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_builder.h"

namespace brigada {

/// `answer` has
///     "format"     of calls, one of tool_formats()
///     "tools"      [{"name", "parameters": schema or null, "strict"}]; arguments of tools that are
///                  not strict are any JSON object
///     "forced"     the answer is calls and nothing else
///     "many"       there may be several calls; else, where they are forced, exactly one
///     "reasoning"  its format, one of reasoning_formats(), of answers that are not forced
///     "begins"     "start"; "reasoning", "text" where the prompt has begun that already
/// Errors name the tool, the place in its schema and the keyword.
Result<Expr> read_tool_calls(GrammarBuilder& builder, const Json& answer);

}  // namespace brigada
