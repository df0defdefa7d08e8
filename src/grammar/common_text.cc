#include "grammar/common_text.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "grammar/recogniser.h"

namespace brigada {

namespace {

/// A byte for each pair of classes: what neither grammar tells apart is looked at once.
std::vector<uint8_t> telling_bytes(const Grammar& a, const Grammar& b) {
    std::vector<uint8_t> out;
    std::set<std::pair<uint8_t, uint8_t>> seen;
    for (int byte = 0; byte < 256; ++byte) {
        const auto value = static_cast<uint8_t>(byte);
        if (seen.emplace(a.byte_class(value), b.byte_class(value)).second) out.push_back(value);
    }
    return out;
}

struct Pair {
    Position a{}, b{};
    size_t before = 0;  // the pair it was reached from, by this byte
    uint8_t byte = 0;
};

std::string text_to(const std::vector<Pair>& pairs, size_t at) {
    std::string out;
    for (; at > 0; at = pairs[at].before)
        out += static_cast<char>(pairs[at].byte);
    std::reverse(out.begin(), out.end());
    return out;
}

}  // namespace

CommonText common_text(std::shared_ptr<const Grammar> a, std::shared_ptr<const Grammar> b,
                       size_t max_pairs) {
    const std::vector<uint8_t> bytes = telling_bytes(*a, *b);
    Recogniser of_a(std::move(a)), of_b(std::move(b));
    std::vector<Pair> pairs = {{.a = of_a.start(), .b = of_b.start()}};
    std::set<std::pair<Position, Position>> seen = {{pairs[0].a, pairs[0].b}};
    for (size_t at = 0; at < pairs.size(); ++at) {
        const Pair here = pairs[at];
        if (of_a.may_end(here.a) && of_b.may_end(here.b))
            return {.found = CommonText::Found::one, .text = text_to(pairs, at)};
        for (const uint8_t byte : bytes) {
            const Position a_next = of_a.step(here.a, byte), b_next = of_b.step(here.b, byte);
            if (a_next == kDead || b_next == kDead) continue;
            if (!seen.emplace(a_next, b_next).second) continue;
            if (pairs.size() == max_pairs) return {.found = CommonText::Found::unknown};
            pairs.push_back({a_next, b_next, at, byte});
        }
    }
    return {};
}

}  // namespace brigada
