// What a request asks its answer to look like: OpenAI's response_format, vLLM's structured_outputs
// and its older guided_json, guided_regex, guided_choice and guided_grammar.
#pragma once

#include <optional>

#include "api/json_fields.h"
#include "base/result.h"
#include "grammar/grammar_spec.h"

namespace brigada {

/// nullopt for plain text. Error::invalid_argument names the field, also where two fields ask for
/// something; ::unsupported what this server does not have.
Result<std::optional<GrammarSpec>> read_answer_format(const JsonFields& fields);

}  // namespace brigada
