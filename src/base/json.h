// Json off the data path: nlohmann's ordered value (key order survives, which templates and clients
// can see), with parsing that returns a Result instead of throwing. Request bodies use simdjson.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

// Compiled once, in json.cc.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace brigada {

using Json = nlohmann::ordered_json;

/// Nesting deeper than this is refused: recursion over the value stays within the stack.
inline constexpr int kJsonMaxDepth = 256;

/// What may stand between its tokens.
inline constexpr std::string_view kJsonBlanks = " \t\r\n";

/// Parses UTF-8 JSON text. Error::invalid_argument names `what` and the byte where it went wrong.
Result<Json> parse_json(std::string_view text, std::string_view what);

/// Compact text; invalid UTF-8 inside strings is replaced by U+FFFD, never thrown.
std::string dump_json(const Json& value);

}  // namespace brigada
