#include "cli/suggest.h"

#include <algorithm>

#include "base/edit_distance.h"

namespace brigada {

std::optional<std::string> closest(std::string_view typed, const std::vector<std::string>& known) {
    std::optional<std::string> best;
    size_t best_distance = 0;
    for (const std::string& word : known) {
        const size_t distance = edit_distance(typed, word);
        if (distance > std::max<size_t>(1, word.size() / 3)) continue;
        if (best && distance >= best_distance) continue;
        best = word;
        best_distance = distance;
    }
    return best;
}

}  // namespace brigada
