// Query: the parameters behind a path's question mark, decoded.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "net/http.h"

namespace brigada {

using Query = std::map<std::string, std::string, std::less<>>;

/// The first value of each name; what does not decode is left out.
Query query_of(const HttpRequest& request);

/// Empty when absent.
std::string_view value_of(const Query& query, std::string_view name);

}  // namespace brigada
