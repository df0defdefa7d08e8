#include "dialect/escaped.h"

#include <simdjson.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/check.h"

namespace brigada {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// --- from characters ----------------------------------------------------------------------------

/// Lead bytes from `first` to `last`, and what may follow: the second byte has a range of its own.
struct Utf8Row {
    uint8_t first, last;
    uint8_t size;
    uint8_t second_low, second_high;
};

/// Source: the Unicode Standard, table 3-7.
constexpr std::array kUtf8{
    Utf8Row{0x00, 0x7f, 1, 0x80, 0xbf}, Utf8Row{0xc2, 0xdf, 2, 0x80, 0xbf},
    Utf8Row{0xe0, 0xe0, 3, 0xa0, 0xbf}, Utf8Row{0xe1, 0xec, 3, 0x80, 0xbf},
    Utf8Row{0xed, 0xed, 3, 0x80, 0x9f}, Utf8Row{0xee, 0xef, 3, 0x80, 0xbf},
    Utf8Row{0xf0, 0xf0, 4, 0x90, 0xbf}, Utf8Row{0xf1, 0xf3, 4, 0x80, 0xbf},
    Utf8Row{0xf4, 0xf4, 4, 0x80, 0x8f},
};

struct Utf8Piece {
    size_t size = 1;
    bool whole = false;
};

/// The character that `text` begins with, or as much as one could begin with.
Utf8Piece first_piece(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    for (const Utf8Row& row : kUtf8) {
        if (byte(0) < row.first || byte(0) > row.last) continue;
        for (size_t i = 1; i < row.size; ++i) {
            const uint8_t low = i == 1 ? row.second_low : 0x80;
            const uint8_t high = i == 1 ? row.second_high : 0xbf;
            if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
        }
        return {row.size, true};
    }
    return {};
}

/// With one U+FFFD for each piece that is no character.
std::string mended(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const Utf8Piece piece = first_piece(text);
        out += piece.whole ? text.substr(0, piece.size) : kReplacement;
        text.remove_prefix(piece.size);
    }
    return out;
}

constexpr bool is_escaped(char c) {
    return static_cast<uint8_t>(c) < 0x20 || c == '"' || c == '\\';
}

/// Where the next character stands that is escaped, from `at` on, or the end. Eight bytes at a
/// time: in each test below the lowest bit that is set is right, borrows disturb only what is above
/// it.
size_t next_escaped(std::string_view text, size_t at) {
    constexpr uint64_t kOnes = 0x0101'0101'0101'0101, kHighs = kOnes * 0x80;
    const auto zeros = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
    for (; at + 8 <= text.size(); at += 8) {
        uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, 8);
        const uint64_t controls = (bytes - kOnes * 0x20) & ~bytes & kHighs;
        const uint64_t hits =
            controls | zeros(bytes ^ (kOnes * '"')) | zeros(bytes ^ (kOnes * '\\'));
        if (hits != 0) return at + static_cast<size_t>(std::countr_zero(hits)) / 8;
    }
    while (at < text.size() && !is_escaped(text[at]))
        ++at;
    return at;
}

void append_escape(std::string& out, char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    out += '\\';
    if (const size_t at = kNamed.find(c); at != kNamed.npos) {
        out += kLetters[at];
        return;
    }
    out += "u00";
    out += kHex[static_cast<uint8_t>(c) >> 4];
    out += kHex[static_cast<uint8_t>(c) & 15];
}

// --- to characters ------------------------------------------------------------------------------

void append_utf8(std::string& out, uint32_t point) {
    const auto tail = [&](uint32_t shift) {
        out += static_cast<char>(0x80 | ((point >> shift) & 0x3f));
    };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xc0 | (point >> 6));
        tail(0);
    } else if (point < 0x10000) {
        out += static_cast<char>(0xe0 | (point >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xf0 | (point >> 18));
        tail(12), tail(6), tail(0);
    }
}

constexpr bool is_high_surrogate(uint32_t unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}
constexpr bool is_low_surrogate(uint32_t unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

/// Of "\u0041"; nothing where none stands.
std::optional<uint32_t> unit_at(std::string_view text) {
    if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
    uint32_t unit = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
    if (error != std::errc() || end != text.data() + 6) return std::nullopt;
    return unit;
}

/// Appends what the escape at the beginning of `text` means and returns its bytes.
size_t append_meaning(std::string& out, std::string_view text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::optional<uint32_t> unit = unit_at(text);
    if (!unit) {
        const size_t at = text.size() < 2 ? kLetters.npos : kLetters.find(text[1]);
        CHECK(at != kLetters.npos, "not the inside of a JSON string: ", text.substr(0, 6));
        out += kMeanings[at];
        return 2;
    }
    const std::optional<uint32_t> next =
        is_high_surrogate(*unit) ? unit_at(text.substr(6)) : std::nullopt;
    if (next && is_low_surrogate(*next)) {
        append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*next - 0xdc00));
        return 12;
    }
    if (is_high_surrogate(*unit) || is_low_surrogate(*unit))
        out += kReplacement;
    else
        append_utf8(out, *unit);
    return 6;
}

}  // namespace

std::string unescaped(Escaped text) {
    std::string_view rest = text.raw;
    std::string out;
    out.reserve(rest.size());
    for (size_t at = rest.find('\\'); at != rest.npos; at = rest.find('\\')) {
        out += rest.substr(0, at);
        rest.remove_prefix(at);
        rest.remove_prefix(append_meaning(out, rest));
    }
    out += rest;
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    append_escaped(out, text);
    return out;
}

void append_escaped(std::string& out, std::string_view text) {
    if (!simdjson::validate_utf8(text.data(), text.size()))
        return append_escaped(out, mended(text));
    for (size_t at = 0; at < text.size();) {
        const size_t next = next_escaped(text, at);
        out += text.substr(at, next - at);
        if (next < text.size()) append_escape(out, text[next]);
        at = next + 1;
    }
}

}  // namespace brigada
