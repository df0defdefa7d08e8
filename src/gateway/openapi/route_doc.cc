#include "gateway/openapi/route_doc.h"

namespace brigada {

std::optional<std::string_view> match_path(std::string_view pattern, std::string_view path) {
    const size_t open = pattern.find('{');
    if (open == std::string_view::npos)
        return pattern == path ? std::optional(std::string_view()) : std::nullopt;
    const std::string_view before = pattern.substr(0, open);
    const std::string_view behind = pattern.substr(pattern.find('}') + 1);
    if (path.size() <= before.size() + behind.size() || !path.starts_with(before) ||
        !path.ends_with(behind))
        return std::nullopt;
    const std::string_view part =
        path.substr(before.size(), path.size() - before.size() - behind.size());
    return part.contains('/') && !behind.empty() ? std::nullopt : std::optional(part);
}

}  // namespace brigada
