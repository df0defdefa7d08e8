#include "tokens/unicode.h"

#include "base/check.h"

namespace brigada {

namespace {

#include "tokens/unicode_tables.inc"

constexpr uint8_t lookup(char32_t code) {
    return kClassOf[kClassBlock[code >> 7]][code & 127];
}

constexpr std::array<uint8_t, 256> ascii_classes() {
    std::array<uint8_t, 256> classes{};
    for (unsigned byte = 0; byte < 128; ++byte)
        classes[byte] = lookup(byte);
    return classes;
}

/// A character as far as its bytes go: `length` by its first byte (0: none starts so), and how many
/// of those bytes are there and allowed (table 3-7 of the Unicode standard).
struct Prefix {
    uint32_t length = 0;
    uint32_t good = 0;
};

Prefix prefix_at(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
    const uint8_t first = byte(0);
    if (first < 0x80) return {1, 1};
    if (first < 0xc2 || first > 0xf4) return {};
    const uint32_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint8_t low = 0x80, high = 0xbf;  // of the second byte
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
    uint32_t good = 1;
    for (; good < length && at + good < text.size(); ++good) {
        if (byte(good) < low || byte(good) > high) break;
        low = 0x80, high = 0xbf;
    }
    return {length, good};
}

}  // namespace

const std::array<uint8_t, 256> kAsciiClasses = ascii_classes();

Char char_at(std::string_view text, size_t at) {
    const Prefix prefix = prefix_at(text, at);
    if (prefix.length == 0 || prefix.good < prefix.length) return {};
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
    if (prefix.length == 1) return {byte(0), 1};
    char32_t code = byte(0) & (0x7f >> prefix.length);
    for (uint32_t i = 1; i < prefix.length; ++i)
        code = code << 6 | (byte(i) & 0x3f);
    return {code, prefix.length};
}

uint8_t classes_of(char32_t code) {
    return code < 0x110000 ? lookup(code) : 0;
}

size_t unfinished_bytes(std::string_view text) {
    for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const Prefix prefix = prefix_at(text, text.size() - back);
        if (prefix.length > back && prefix.good == back) return back;
    }
    return 0;
}

void append_valid_utf8(std::string_view text, std::string& out) {
    size_t good_from = 0;
    for (size_t at = 0; at < text.size();) {
        const Prefix prefix = prefix_at(text, at);
        if (prefix.length > 0 && prefix.good == prefix.length) {
            at += prefix.length;
            continue;
        }
        out.append(text, good_from, at - good_from).append(kReplacement);
        at += prefix.length == 0 ? 1 : prefix.good;
        good_from = at;
    }
    out.append(text, good_from);
}

void append_utf8(char32_t code, std::string& out) {
    CHECK(code < 0x110000 && (code < 0xd800 || code > 0xdfff),
          "code=", static_cast<uint32_t>(code));
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | code >> 12);
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xf0 | code >> 18);
        tail(12), tail(6), tail(0);
    }
}

}  // namespace brigada
