#include "cost/similar_names.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/edit_distance.h"

namespace brigada {

namespace {

constexpr size_t kSuggestions = 3;
constexpr size_t kLongestName = 200;

/// From the whole name or its beginning, which is what people type: "h300" is near "H100 SXM 80GB".
size_t distance(std::string_view typed, std::string_view known) {
    if (known.find(typed) != std::string_view::npos) return 0;
    return std::min(edit_distance(typed, known),
                    edit_distance(typed, known.substr(0, typed.size())));
}

}  // namespace

std::string bare_name(std::string_view name) {
    std::string out;
    for (const char c : name.substr(0, kLongestName))
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::vector<std::string> similar_names(std::string_view name,
                                       const std::vector<std::string>& known) {
    const std::string typed = bare_name(name);
    std::vector<std::tuple<size_t, size_t, size_t>> near;  // how far, how long, which
    for (size_t i = 0; i < known.size(); ++i) {
        const std::string bare = bare_name(known[i]);
        const size_t away = distance(typed, bare);
        if (away * 2 <= std::max(typed.size(), bare.size()))
            near.emplace_back(away, bare.size(), i);
    }
    std::ranges::sort(near);
    std::vector<std::string> out;
    for (const auto& [away, length, i] : near)
        if (out.size() < kSuggestions) out.push_back(known[i]);
    return out;
}

}  // namespace brigada
