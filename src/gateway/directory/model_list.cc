#include "gateway/directory/model_list.h"

#include <algorithm>

namespace brigada {

/// Remembers only the last star: what it swallowed grows by one character when the rest does not
/// fit. At most pattern x name steps.
bool matches_model(std::string_view pattern, std::string_view name) {
    size_t p = 0, n = 0, after_star = std::string_view::npos, swallowed = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            after_star = ++p;
            swallowed = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p, ++n;
        } else if (after_star != std::string_view::npos) {
            p = after_star;
            n = ++swallowed;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool allows_model(const std::vector<std::string>& list, std::string_view name) {
    return list.empty() || std::ranges::any_of(list, [&](const std::string& entry) {
               if (entry == "all-proxy-models" || entry == "all-team-models") return true;
               return entry != "no-default-models" && matches_model(entry, name);
           });
}

}  // namespace brigada
