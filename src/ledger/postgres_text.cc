#include "ledger/postgres_text.h"

#include <xxhash.h>

#include "base/concat.h"
#include "base/hex.h"

namespace brigada {

namespace {

constexpr std::string_view kHashMark = "\\#";

constexpr bool is_tail(unsigned char c) {
    return (c & 0xc0) == 0x80;
}

/// How many bytes of well-formed UTF-8 begin the text; 0 for none. Table 3-7 of the Unicode
/// standard.
size_t character_bytes(std::string_view text) {
    const auto at = [&](size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i])
                               : static_cast<unsigned char>(0);
    };
    const unsigned char first = at(0), second = at(1);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4 || !is_tail(second)) return 0;
    if (first < 0xe0) return 2;
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second > 0x9f;
    const bool too_high = first == 0xf4 && second > 0x8f;
    if (overlong || surrogate || too_high || !is_tail(at(2))) return 0;
    if (first < 0xf0) return 3;
    return is_tail(at(3)) ? 4 : 0;
}

std::string hash_of(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// The byte that two hex digits at the front stand for; -1 for none.
int hex_byte(std::string_view text) {
    if (text.size() < 2) return -1;
    const int high = hex_digit(text[0]), low = hex_digit(text[1]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace

std::string pg_text(std::string_view bytes) {
    const std::string_view all = bytes;
    constexpr size_t kMost = kPgTextBytes - kHashMark.size() - 32;
    std::string out;
    while (!bytes.empty()) {
        const size_t length = character_bytes(bytes);
        std::string one(bytes.substr(0, length ? length : 1));
        bytes.remove_prefix(one.size());
        if (length == 0 || one[0] == '\0')
            one = fmt::format("\\x{:02x}", static_cast<unsigned char>(one[0]));
        else if (one == "\\")
            one = "\\\\";
        if (out.size() + one.size() > kMost) return concat(out, kHashMark, hash_of(all));
        out += one;
    }
    return out;
}

std::string from_pg_text(std::string_view text) {
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
        if (rest.starts_with(kHashMark)) return std::string(text);
        const int byte = rest.starts_with("\\x") ? hex_byte(rest.substr(2)) : -1;
        const bool is_backslash = rest.starts_with("\\\\");
        out += byte < 0 ? rest[0] : static_cast<char>(byte);
        rest.remove_prefix(byte >= 0 ? 4 : is_backslash ? 2 : 1);
    }
    return out;
}

std::string pg_array(std::span<const std::string> texts) {
    std::string out = "{";
    for (const std::string& text : texts) {
        out += out.size() > 1 ? ",\"" : "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        out += '"';
    }
    return out + "}";
}

std::string pg_array(std::span<const int64_t> numbers) {
    std::string out = "{";
    for (const int64_t number : numbers)
        out += concat(out.size() > 1 ? "," : "", number);
    return out + "}";
}

std::string pg_hex(std::string_view bytes) {
    return "\\x" + hex_of({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

std::string from_pg_hex(std::string_view text) {
    std::string out;
    if (!text.starts_with("\\x")) return out;
    for (text.remove_prefix(2); text.size() >= 2; text.remove_prefix(2)) {
        const int byte = hex_byte(text);
        if (byte < 0) return {};
        out += static_cast<char>(byte);
    }
    return out;
}

}  // namespace brigada
