// CodePointSet: a set of Unicode scalar values as sorted ranges: what a character class means. And
// the way from code points to the bytes of UTF-8.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace brigada {

/// Both ends included.
struct CodePointRange {
    char32_t first = 0;
    char32_t last = 0;
    bool operator==(const CodePointRange&) const = default;
};

inline constexpr char32_t kLastCodePoint = 0x10ffff;

class CodePointSet {
  public:
    CodePointSet() = default;
    CodePointSet(std::initializer_list<CodePointRange> ranges);

    /// Every scalar value: all code points but the surrogates.
    static CodePointSet all();
    static CodePointSet of(char32_t code) { return {{code, code}}; }

    /// Surrogates are left out, whatever the range says.
    void add(CodePointRange range);
    void add(const CodePointSet& other);

    CodePointSet complement() const;
    CodePointSet intersect(const CodePointSet& other) const;
    CodePointSet minus(const CodePointSet& other) const { return intersect(other.complement()); }

    bool empty() const { return ranges_.empty(); }
    bool contains(char32_t code) const;

    /// Ascending; neither overlapping nor touching.
    std::span<const CodePointRange> ranges() const { return ranges_; }
    bool operator==(const CodePointSet&) const = default;

  private:
    void insert(CodePointRange range);

    std::vector<CodePointRange> ranges_;
};

/// Bytes from `first` to `last`.
struct ByteRange {
    uint8_t first = 0;
    uint8_t last = 0;
    bool operator==(const ByteRange&) const = default;
};

/// UTF-8 of one length whose bytes may be chosen independently: at most four ranges.
using ByteRanges = std::vector<ByteRange>;

/// The UTF-8 of all code points of `range`, as alternatives that do not overlap.
std::vector<ByteRanges> utf8_ranges(CodePointRange range);

}  // namespace brigada
