#include "gateway/config/near_key.h"

#include <algorithm>
#include <numeric>

namespace brigada {
namespace {

// Nobody misspells a key this long; the table below has this many rows at most.
constexpr size_t kLongestKey = 80;

// One letter of a shorter word makes another word: rpm, tpm.
constexpr size_t kShortestKey = 4;

size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);  // edits from a's first letters to each prefix of b
    std::iota(row.begin(), row.end(), 0);
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_key(std::string_view written, const std::vector<std::string>& known) {
    if (written.size() > kLongestKey) return "";
    std::string best;
    size_t fewest = 0;
    for (const std::string& key : known) {
        const size_t edits = edits_between(written, key);
        if (key.size() < kShortestKey || edits > key.size() / 3) continue;
        if (!best.empty() && edits >= fewest) continue;
        best = key;
        fewest = edits;
    }
    return best;
}

}  // namespace brigada
