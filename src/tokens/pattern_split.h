// The splitting patterns of well-known vocabularies, written by hand: each cuts a text exactly as
// its published regular expression does, some twenty times faster than an engine that interprets
// it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace brigada {

/// Bytes [begin, end) of a text.
struct Span {
    size_t begin = 0;
    size_t end = 0;
    friend bool operator==(const Span&, const Span&) = default;
};

/// Appends the words of `text`'s bytes `range` to `words`, in order and without gaps. Nothing
/// outside the range is seen: a look-ahead at its end finds the end of the text.
using PatternSplit = void (*)(std::string_view text, Span range, std::vector<Span>& words);

struct KnownPattern {
    std::string_view name;   // ours, for messages and tests
    std::string_view regex;  // as published, with the line breaks of DeepSeek's as characters
    PatternSplit split;
};

std::span<const KnownPattern> known_patterns();

/// The pattern with this regular expression, or nullptr.
const KnownPattern* find_known_pattern(std::string_view regex);

/// The published regular expression of a pattern by our name; CHECKs that there is one.
std::string_view known_regex(std::string_view name);

}  // namespace brigada
