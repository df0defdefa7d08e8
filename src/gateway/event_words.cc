#include "gateway/event_words.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace brigada {

namespace {

constexpr size_t kStep = 16;  // bytes looked at together

/// The words behind the quote at `quote`, and the one it ends.
void look(std::string_view data, size_t quote, EventWords& words) {
    const std::string_view behind = data.substr(quote + 1);
    if (behind.starts_with("delta\"") || behind.starts_with("text\"")) words.carry_output = true;
    if (behind.starts_with("usage\"") || behind.starts_with("error\"") ||
        behind.starts_with("response.") || data.substr(0, quote).ends_with("_stop"))
        words.may_matter = true;
}

using Hits = std::array<uint8_t, kStep>;

/// 0xff for each quote before the first letter of one of those words, or behind the last of
/// "_stop". The step begins one byte behind `text`, and one more is read behind its end. Branches
/// would keep the compiler from taking all bytes at once.
Hits hits_behind(const char* text) {
    Hits hits;
    for (size_t i = 0; i < kStep; ++i) {
        const auto next = static_cast<uint8_t>(text[i + 2]);
        const bool is_dteu = (next | 0x11) == 'u';  // the four differ in these two bits
        const bool is_hit = (text[i + 1] == '"') & (is_dteu | (next == 'r') | (text[i] == 'p'));
        hits[i] = is_hit ? 0xff : 0;
    }
    return hits;
}

void look_at_hits(std::string_view data, size_t at, EventWords& words) {
    static_assert(std::endian::native == std::endian::little);
    const auto halves = std::bit_cast<std::array<uint64_t, 2>>(hits_behind(data.data() + at - 1));
    for (size_t half = 0; half < 2; ++half)
        for (uint64_t left = halves[half]; left != 0;) {
            const int byte = std::countr_zero(left) / 8;
            look(data, at + half * 8 + static_cast<size_t>(byte), words);
            left &= ~(uint64_t{0xff} << (byte * 8));
        }
}

void look_one_by_one(std::string_view data, size_t from, size_t to, EventWords& words) {
    for (size_t at = from; at < to; ++at)
        if (data[at] == '"') look(data, at, words);
}

}  // namespace

EventWords words_of(std::string_view data) {
    EventWords words;
    size_t at = data.empty() ? 0 : 1;
    look_one_by_one(data, 0, at, words);
    for (; at + kStep < data.size(); at += kStep)
        look_at_hits(data, at, words);
    look_one_by_one(data, at, data.size(), words);
    return words;
}

}  // namespace brigada
