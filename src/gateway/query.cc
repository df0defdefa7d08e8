#include "gateway/query.h"

#include <algorithm>

namespace brigada {

Query query_of(const HttpRequest& request) {
    Query out;
    for (std::string_view rest = request.query; !rest.empty();) {
        const size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::string name(pair.substr(0, pair.find('=')));
        if (const auto value = request.query_value(name)) out.emplace(name, *value);
    }
    return out;
}

std::string_view value_of(const Query& query, std::string_view name) {
    const auto found = query.find(name);
    return found == query.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace brigada
