// The formats of JSON Schema's strings as regular expressions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

/// What `format: name` asks of a string, as an expression that matches it whole; "" where it asks
/// nothing, as "password", int64 and every name that JSON Schema does not define.
/// Error::unsupported for those it defines and that are none of a regular language's business.
Result<std::string> format_regex(std::string_view name);

}  // namespace brigada
