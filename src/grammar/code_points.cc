#include "grammar/code_points.h"

#include <algorithm>

#include "base/check.h"

namespace brigada {

namespace {

constexpr char32_t kBelowSurrogates = 0xd7ff;
constexpr char32_t kAboveSurrogates = 0xe000;

/// The last code point that takes one, two, three and four bytes.
constexpr char32_t kLastOfLength[] = {0x7f, 0x7ff, 0xffff, kLastCodePoint};

uint8_t byte_of(char32_t code, int length, int index) {
    constexpr uint8_t kLead[] = {0x00, 0x00, 0xc0, 0xe0, 0xf0};
    const auto low = static_cast<uint8_t>(code >> (6 * (length - 1 - index)));
    return index == 0 ? static_cast<uint8_t>(kLead[length] | low)
                      : static_cast<uint8_t>(0x80 | (low & 0x3f));
}

/// Splits until the bytes behind the first that differs run through all continuation bytes.
void append_of_length(CodePointRange range, int length, std::vector<ByteRanges>& out) {
    for (int tail = 1; tail < length; ++tail) {
        const char32_t mask = (char32_t{1} << (6 * tail)) - 1;
        if ((range.first & ~mask) == (range.last & ~mask)) continue;
        if ((range.first & mask) != 0) {
            append_of_length({range.first, range.first | mask}, length, out);
            append_of_length({(range.first | mask) + 1, range.last}, length, out);
            return;
        }
        if ((range.last & mask) != mask) {
            append_of_length({range.first, (range.last & ~mask) - 1}, length, out);
            append_of_length({range.last & ~mask, range.last}, length, out);
            return;
        }
    }
    ByteRanges bytes;
    for (int i = 0; i < length; ++i)
        bytes.push_back({byte_of(range.first, length, i), byte_of(range.last, length, i)});
    out.push_back(std::move(bytes));
}

}  // namespace

CodePointSet::CodePointSet(std::initializer_list<CodePointRange> ranges) {
    for (CodePointRange range : ranges)
        add(range);
}

CodePointSet CodePointSet::all() {
    return {{0, kLastCodePoint}};
}

void CodePointSet::add(CodePointRange range) {
    CHECK(range.first <= range.last && range.last <= kLastCodePoint);
    if (range.first <= kBelowSurrogates)
        insert({range.first, std::min(range.last, kBelowSurrogates)});
    if (range.last >= kAboveSurrogates)
        insert({std::max(range.first, kAboveSurrogates), range.last});
}

void CodePointSet::add(const CodePointSet& other) {
    for (CodePointRange range : other.ranges_)
        insert(range);
}

/// Swallows what it overlaps or touches.
void CodePointSet::insert(CodePointRange range) {
    const auto begin = std::lower_bound(
        ranges_.begin(), ranges_.end(), range.first,
        [](const CodePointRange& r, char32_t first) { return r.last + 1 < first; });
    auto end = begin;
    for (; end != ranges_.end() && end->first <= range.last + 1; ++end) {
        range.first = std::min(range.first, end->first);
        range.last = std::max(range.last, end->last);
    }
    ranges_.insert(ranges_.erase(begin, end), range);
}

CodePointSet CodePointSet::complement() const {
    CodePointSet out;
    char32_t next = 0;
    for (CodePointRange range : ranges_) {
        if (range.first > next) out.add({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= kLastCodePoint) out.add({next, kLastCodePoint});
    return out;
}

CodePointSet CodePointSet::intersect(const CodePointSet& other) const {
    CodePointSet out;
    auto a = ranges_.begin();
    auto b = other.ranges_.begin();
    while (a != ranges_.end() && b != other.ranges_.end()) {
        const CodePointRange both{std::max(a->first, b->first), std::min(a->last, b->last)};
        if (both.first <= both.last) out.ranges_.push_back(both);
        ++(a->last < b->last ? a : b);
    }
    return out;
}

bool CodePointSet::contains(char32_t code) const {
    const auto it = std::lower_bound(
        ranges_.begin(), ranges_.end(), code,
        [](const CodePointRange& range, char32_t wanted) { return range.last < wanted; });
    return it != ranges_.end() && it->first <= code;
}

std::vector<ByteRanges> utf8_ranges(CodePointRange range) {
    std::vector<ByteRanges> out;
    for (int length = 1; length <= 4 && range.first <= range.last; ++length) {
        const char32_t last = kLastOfLength[length - 1];
        if (range.first > last) continue;
        append_of_length({range.first, std::min(range.last, last)}, length, out);
        range.first = last + 1;
    }
    return out;
}

}  // namespace brigada
