// String literals: the escapes of Python between a literal's quotes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada::jinja {

/// `text` with \n, \x41, \u00e9, \U0001f600, \101 and the like replaced; a backslash before any
/// other character stays. Error::invalid_argument for a \x, \u or \U without its digits, a
/// surrogate half, and \N{...}, which needs a table of names.
Result<std::string> decode_string_literal(std::string_view text);

}  // namespace brigada::jinja
