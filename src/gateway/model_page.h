// What /v1/models answers: the same models to clients of OpenAI's and of Anthropic's API.
#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "dialect/dialect.h"

namespace brigada {

/// One model. Nobody here knows when it was made, and both dialects let the epoch say so.
Json model_json(const std::string& name, Dialect dialect);

/// All of them, on one page.
Json model_page(std::span<const std::string> names, Dialect dialect);

}  // namespace brigada
