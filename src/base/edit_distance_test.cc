#include "base/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/rng.h"

namespace brigada {
namespace {

/// The definition, by recursion: too slow for anything but short words, and too simple to be wrong.
size_t distance_by_definition(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return std::max(a.size(), b.size());
    const auto without = [](std::string_view s, size_t n) { return s.substr(0, s.size() - n); };
    size_t best = std::min(distance_by_definition(without(a, 1), b) + 1,
                           distance_by_definition(a, without(b, 1)) + 1);
    best = std::min(best, distance_by_definition(without(a, 1), without(b, 1)) +
                              (a.back() != b.back() ? 1 : 0));
    const bool swapped =
        a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back();
    if (swapped) best = std::min(best, distance_by_definition(without(a, 2), without(b, 2)) + 1);
    return best;
}

TEST(EditDistance, is_what_the_definition_says) {
    Rng rng(7);
    const auto word = [&] {
        std::string out;
        for (uint64_t n = rng.below(6); n > 0; --n)
            out += static_cast<char>('a' + rng.below(3));
        return out;
    };
    for (int i = 0; i < 1000; ++i) {
        const std::string a = word(), b = word();
        ASSERT_EQ(edit_distance(a, b), distance_by_definition(a, b)) << a << " " << b;
    }
}

}  // namespace
}  // namespace brigada
