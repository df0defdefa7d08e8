// The arguments, schemas and results of tools in the forms that dialects want: JSON as text, text
// as JSON, free text as a function's one argument.
#pragma once

#include "dialect/conversation.h"
#include "dialect/json_out.h"

namespace brigada {

/// Appends a call's arguments to an open text: JSON, escaped.
void append_arguments_text(std::string& out, const ToolCallBlock& call);

/// The arguments as a JSON object. What is none, or is nested too deeply, is kept as
/// {"arguments": "<the text>"}: the call is not lost, and the model sees what it said.
void write_arguments_object(JsonOut& out, const ToolCallBlock& call);

/// The JSON schema of a function: the tool's, or of one text for a custom tool, or of anything.
RawJson schema_of(const Tool& tool);

/// The description; a custom tool's also tells the grammar of its text.
void write_description(JsonOut& out, const Tool& tool);

}  // namespace brigada
