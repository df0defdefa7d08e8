#include "dialect/volatile_block.h"

#include <algorithm>

namespace brigada {

Escaped without_volatile_line(Escaped system) {
    const bool is_volatile = std::ranges::any_of(
        kVolatileLines, [&](std::string_view line) { return system.raw.starts_with(line); });
    if (!is_volatile) return system;
    size_t end = system.raw.find('\\');
    while (end != system.raw.npos && system.raw.substr(end, 2) != "\\n")
        end = system.raw.find('\\', end + 2);
    if (end == system.raw.npos) return {};
    std::string_view rest = system.raw.substr(end);
    while (rest.starts_with("\\n"))
        rest.remove_prefix(2);
    return {rest};
}

}  // namespace brigada
