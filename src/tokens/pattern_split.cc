#include "tokens/pattern_split.h"

#include <algorithm>

#include "base/check.h"
#include "tokens/unicode.h"

namespace brigada {

namespace {

/// A text to match in, up to `end`. Positions are bytes.
struct Scan {
    const char* text;
    size_t end;

    uint8_t byte(size_t at) const { return at < end ? static_cast<uint8_t>(text[at]) : 0; }

    /// The classes of the character at `at`, which is below end, and where the next one begins.
    uint8_t classes(size_t at, size_t& next) const {
        const auto first = static_cast<uint8_t>(text[at]);
        if (first < 0x80) {
            next = at + 1;
            return kAsciiClasses[first];
        }
        const Char c = char_at({text, end}, at);
        next = at + c.bytes;
        return classes_of(c.code);
    }

    /// The end of the run of characters from `at` that have one of `wanted`, or, if `without`,
    /// none.
    template <uint8_t wanted, bool without = false>
    size_t run(size_t at) const {
        while (at < end) {
            size_t next;
            if (((classes(at, next) & wanted) == 0) != without) return at;
            at = next;
        }
        return at;
    }

    size_t run_of_bytes(size_t at, std::string_view bytes) const {
        while (at < end && bytes.find(text[at]) != bytes.npos)
            ++at;
        return at;
    }
};

/// What the patterns of the GPT family differ in. All are alternatives in this order: contraction,
/// letters, digits, the rest, white space that ends in a line break, other white space.
struct Rules {
    enum class Contractions { none, lower_case, any_case, after_letters };
    enum class Letters { after_space, after_any, cased };
    enum class Tail { none, line_breaks, line_breaks_and_slashes };  // none, [\r\n]*, [\r\n/]*

    Contractions contractions = Contractions::any_case;
    Letters letters = Letters::after_any;  // ` ?\p{L}+`, `[^\r\n\p{L}\p{N}]?\p{L}+`, or o200k's two
    uint8_t letter = kLetter;       // what stands for \p{L} in the run and outside "the rest"
    int max_digits = 1;             // \p{N}{1,n}; 0: ` ?\p{N}+`
    Tail tail = Tail::line_breaks;  // what may follow "the rest"
    bool line_breaks = true;        // has the alternative `\s*[\r\n]+`
};

/// The length of 's 't 're 've 'm 'll 'd at `at`, or 0. Without regard to case, s is also U+017F.
size_t contraction(const Scan& scan, size_t at, bool any_case) {
    if (scan.byte(at) != '\'') return 0;
    const auto letter = [&](size_t i) {
        const uint8_t c = scan.byte(at + i);
        return any_case && c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c + 32) : c;
    };
    const uint8_t first = letter(1), second = letter(2);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
    if ((first == 'r' || first == 'v') && second == 'e') return 3;
    if (first == 'l' && second == 'l') return 3;
    if (any_case && first == 0xc5 && second == 0xbf) return 3;
    return 0;
}

/// o200k's two alternatives from `at`, without the optional character before them:
/// [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+ and, `upper_only`, the one with + and
/// *. Returns the end, or `at` where it does not match.
size_t cased_letters(const Scan& scan, size_t at, bool upper_only) {
    constexpr uint8_t kBoth = kOtherLetter | kMark;
    size_t after_both = at;  // behind the last character of the upper run that is in both classes
    size_t upper_end = at;
    while (upper_end < scan.end) {
        size_t next;
        const uint8_t classes = scan.classes(upper_end, next);
        if ((classes & (kUpper | kBoth)) == 0) break;
        upper_end = next;
        if (classes & kBoth) after_both = next;
    }
    const size_t lower_end = scan.run < kLower | kBoth > (upper_end);
    if (upper_only) return upper_end > at ? lower_end : at;
    return lower_end > upper_end ? lower_end : after_both;
}

/// The end of a word of letters at `at`, or `at`.
template <Rules rules>
size_t letters(const Scan& scan, size_t at, uint8_t classes, size_t next) {
    if constexpr (rules.letters == Rules::Letters::after_space) {
        if (classes & rules.letter) return scan.run<rules.letter>(next);
        if (scan.byte(at) != ' ') return at;
        const size_t end = scan.run<rules.letter>(next);
        return end > next ? end : at;
    }
    const uint8_t byte = scan.byte(at);
    const bool may_lead = !(classes & (kLetter | kNumber)) && byte != '\r' && byte != '\n';
    if constexpr (rules.letters == Rules::Letters::after_any) {
        if (may_lead)
            if (const size_t end = scan.run<rules.letter>(next); end > next) return end;
        return classes & rules.letter ? scan.run<rules.letter>(next) : at;
    } else {
        for (const bool upper_only : {false, true}) {
            if (may_lead)
                if (const size_t end = cased_letters(scan, next, upper_only); end > next)
                    return end;
            if (const size_t end = cased_letters(scan, at, upper_only); end > at) return end;
        }
        return at;
    }
}

template <Rules rules>
size_t digits(const Scan& scan, size_t at, uint8_t classes, size_t next) {
    if constexpr (rules.max_digits == 0) {
        if (classes & kNumber) return scan.run<kNumber>(next);
        if (scan.byte(at) != ' ') return at;
        const size_t end = scan.run<kNumber>(next);
        return end > next ? end : at;
    }
    if (!(classes & kNumber)) return at;
    for (int count = 1; count < rules.max_digits && next < scan.end; ++count) {
        size_t after;
        if (!(scan.classes(next, after) & kNumber)) break;
        next = after;
    }
    return next;
}

/// ` ?[^\s\p{L}\p{N}]+` and the tail.
template <Rules rules>
size_t the_rest(const Scan& scan, size_t at) {
    constexpr uint8_t kNot = kSpace | rules.letter | kLetter | kNumber;
    const size_t start = at + (scan.byte(at) == ' ');
    const size_t end = scan.run<kNot, true>(start);
    if (end == start) return at;
    using Tail = Rules::Tail;
    if constexpr (rules.tail == Tail::none) return end;
    return scan.run_of_bytes(end, rules.tail == Tail::line_breaks ? "\r\n" : "\r\n/");
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` where white space begins at `at`: up to its last line break; else all
/// if the text ends there; else all but the last, which goes with the next word.
size_t white_space(const Scan& scan, size_t at, bool line_breaks) {
    size_t after_break = at, last = at, end = at;
    while (end < scan.end) {
        size_t next;
        if (!(scan.classes(end, next) & kSpace)) break;
        const char c = scan.text[end];
        last = end;
        end = next;
        if (c == '\r' || c == '\n') after_break = end;
    }
    if (line_breaks && after_break > at) return after_break;
    if (end == scan.end || last == at) return end;
    return last;
}

template <Rules rules>
size_t word_end(const Scan& scan, size_t at) {
    using Contractions = Rules::Contractions;
    constexpr bool kAnyCase = rules.contractions != Contractions::lower_case;
    size_t next;
    const uint8_t classes = scan.classes(at, next);
    if constexpr (rules.contractions == Contractions::any_case ||
                  rules.contractions == Contractions::lower_case)
        if (const size_t n = contraction(scan, at, kAnyCase)) return at + n;
    if (size_t end = letters<rules>(scan, at, classes, next); end > at) {
        if constexpr (rules.contractions == Contractions::after_letters)
            end += contraction(scan, end, true);
        return end;
    }
    if (const size_t end = digits<rules>(scan, at, classes, next); end > at) return end;
    if (const size_t end = the_rest<rules>(scan, at); end > at) return end;
    return white_space(scan, at, rules.line_breaks);
}

template <Rules rules>
void split_by(std::string_view text, Span range, std::vector<Span>& words) {
    const Scan scan{text.data(), range.end};
    for (size_t at = range.begin; at < range.end;) {
        const size_t end = word_end<rules>(scan, at);
        words.push_back({at, end});
        at = end;
    }
}

// --- patterns that leave gaps ----------------------------------------------------------------

/// Calls `match_end(scan, at)`, which returns `at` for no match, along the range; matches and what
/// lies between them become words.
template <auto match_end>
void split_with_gaps(std::string_view text, Span range, std::vector<Span>& words) {
    const Scan scan{text.data(), range.end};
    size_t gap = range.begin;
    for (size_t at = range.begin; at < range.end;) {
        const size_t end = match_end(scan, at);
        if (end == at) {
            scan.classes(at, at);
            continue;
        }
        if (gap < at) words.push_back({gap, at});
        words.push_back({at, end});
        at = gap = end;
    }
    if (gap < range.end) words.push_back({gap, range.end});
}

template <int most>
size_t number_end(const Scan& scan, size_t at) {
    size_t next;
    const uint8_t classes = scan.classes(at, next);
    return digits<Rules{.max_digits = most}>(scan, at, classes, next);
}

/// [一-龥぀-ゟ゠-ヿ]+
size_t kana_or_han_end(const Scan& scan, size_t at) {
    while (at < scan.end && static_cast<uint8_t>(scan.text[at]) >= 0xe3) {
        const Char c = char_at({scan.text, scan.end}, at);
        const bool han = c.code >= 0x4e00 && c.code <= 0x9fa5;
        if (!han && !(c.code >= 0x3040 && c.code <= 0x30ff)) break;
        at += c.bytes;
    }
    return at;
}

/// DeepSeek V3's third pattern.
size_t deepseek_end(const Scan& scan, size_t at) {
    constexpr uint8_t kMarks = kPunctuation | kSymbol;
    size_t next;
    const uint8_t classes = scan.classes(at, next);
    const uint8_t byte = scan.byte(at);
    if (byte < 0x80 && (classes & kMarks)) {
        size_t end = next;
        while ((scan.byte(end) | 32) >= 'a' && (scan.byte(end) | 32) <= 'z')
            ++end;
        if (end > next) return end;
    }
    if (!(classes & (kLetter | kMarks)) && byte != '\r' && byte != '\n')
        if (const size_t end = scan.run < kLetter | kMark > (next); end > next) return end;
    if (classes & (kLetter | kMark)) return scan.run < kLetter | kMark > (next);
    const size_t start = at + (byte == ' ');
    if (const size_t end = scan.run<kMarks>(start); end > start)
        return scan.run_of_bytes(end, "\r\n");
    return classes & kSpace ? white_space(scan, at, true) : at;
}

// --- the patterns ------------------------------------------------------------------------------

using Contractions = Rules::Contractions;
using Letters = Rules::Letters;

constexpr Rules kGpt2{.contractions = Contractions::lower_case,
                      .letters = Letters::after_space,
                      .max_digits = 0,
                      .tail = Rules::Tail::none,
                      .line_breaks = false};
constexpr Rules kLlama3{.max_digits = 3, .tail = Rules::Tail::line_breaks};
constexpr Rules kQwen2{.max_digits = 1, .tail = Rules::Tail::line_breaks};
constexpr Rules kQwen35{
    .letter = kLetter | kMark, .max_digits = 1, .tail = Rules::Tail::line_breaks};
constexpr Rules kO200k{.contractions = Contractions::after_letters,
                       .letters = Letters::cased,
                       .max_digits = 3,
                       .tail = Rules::Tail::line_breaks_and_slashes};
constexpr Rules kTekken{.contractions = Contractions::none,
                        .letters = Letters::cased,
                        .max_digits = 1,
                        .tail = Rules::Tail::line_breaks_and_slashes};

constexpr KnownPattern kKnown[] = {
    {"gpt2", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
     split_by<kGpt2>},
    {"llama3",
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
     R"(|\s*[\r\n]+|\s+(?!\S)|\s+)",
     split_by<kLlama3>},
    {"qwen2",
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
     R"(|\s*[\r\n]+|\s+(?!\S)|\s+)",
     split_by<kQwen2>},
    {"qwen3.5",
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+)"
     R"([\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     split_by<kQwen35>},
    {"o200k",
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     split_by<kO200k>},
    {"tekken",
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
     R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
     R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     split_by<kTekken>},
    {"digit", R"(\p{N})", split_with_gaps<number_end<1>>},
    {"digits3", R"(\p{N}{1,3})", split_with_gaps<number_end<3>>},
    {"kana_or_han", "[一-龥぀-ゟ゠-ヿ]+", split_with_gaps<kana_or_han_end>},
    {"deepseek3",
     "[!\"#$%&'()*+,\\-./"
     ":;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
     "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
     split_with_gaps<deepseek_end>},
};

}  // namespace

std::span<const KnownPattern> known_patterns() {
    return kKnown;
}

const KnownPattern* find_known_pattern(std::string_view regex) {
    const auto* found = std::ranges::find(kKnown, regex, &KnownPattern::regex);
    return found == std::end(kKnown) ? nullptr : found;
}

std::string_view known_regex(std::string_view name) {
    const auto* found = std::ranges::find(kKnown, name, &KnownPattern::name);
    CHECK(found != std::end(kKnown), "no pattern ", name);
    return found->regex;
}

}  // namespace brigada
