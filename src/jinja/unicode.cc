#include "jinja/unicode.h"

#include <utf8proc.h>

#include <algorithm>

namespace brigada::jinja {

namespace {

bool is_ascii(char32_t code) {
    return code < 0x80;
}
bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

utf8proc_category_t category(char32_t code) {
    if (code > 0x10FFFF) return UTF8PROC_CATEGORY_CN;
    return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

void append_upper(std::string& out, Character c) {
    if (c.code == U'ß')
        out += "SS";  // the one common letter whose capital is two
    else if (c.code > 0x10FFFF)
        out += c.bytes;
    else
        append_code(out, static_cast<char32_t>(utf8proc_toupper(utf8proc_int32_t(c.code))));
}

void append_lower(std::string& out, Character c) {
    if (c.code > 0x10FFFF)
        out += c.bytes;
    else
        append_code(out, static_cast<char32_t>(utf8proc_tolower(utf8proc_int32_t(c.code))));
}

void append_title(std::string& out, Character c) {
    if (c.code == U'ß')
        out += "Ss";
    else if (c.code > 0x10FFFF)
        out += c.bytes;
    else
        append_code(out, static_cast<char32_t>(utf8proc_totitle(utf8proc_int32_t(c.code))));
}

bool belongs(Character c, const std::string_view* set) {
    if (!set) return is_space(c.code);
    for (size_t i = 0; i < set->size();) {
        const Character member = character_at(*set, i);
        if (member.bytes == c.bytes) return true;
        i += member.bytes.size();
    }
    return false;
}

/// The last character of a text that is not empty.
Character last_character(std::string_view text) {
    size_t start = text.size() - 1;
    while (start > 0 && text.size() - start < 4 && is_continuation(text[start]))
        --start;
    const Character c = character_at(text, start);
    if (start + c.bytes.size() == text.size()) return c;
    return character_at(text, text.size() - 1);  // a stray continuation byte
}

}  // namespace

Character character_at(std::string_view text, size_t offset) {
    const auto first = static_cast<unsigned char>(text[offset]);
    if (first < 0x80) return {first, text.substr(offset, 1)};
    utf8proc_int32_t code = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + offset;
    const utf8proc_ssize_t size =
        utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - offset), &code);
    if (size <= 0) return {kInvalid + first, text.substr(offset, 1)};
    return {static_cast<char32_t>(code), text.substr(offset, static_cast<size_t>(size))};
}

std::vector<Character> characters(std::string_view text) {
    std::vector<Character> out;
    for (size_t i = 0; i < text.size(); i += out.back().bytes.size())
        out.push_back(character_at(text, i));
    return out;
}

size_t length(std::string_view text) {
    if (std::ranges::all_of(text, [](char c) { return c >= 0; })) return text.size();
    size_t count = 0;
    for (size_t i = 0; i < text.size(); i += character_at(text, i).bytes.size())
        ++count;
    return count;
}

size_t offset_of(std::string_view text, size_t index) {
    size_t offset = 0;
    for (; index > 0 && offset < text.size(); --index)
        offset += character_at(text, offset).bytes.size();
    return offset;
}

void append_code(std::string& out, char32_t code) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

bool is_space(char32_t code) {
    if (is_ascii(code)) return (code >= 9 && code <= 13) || (code >= 0x1C && code <= 0x20);
    return code == 0x85 || category(code) == UTF8PROC_CATEGORY_ZS || is_line_end(code);
}

bool is_line_end(char32_t code) {
    return (code >= 10 && code <= 13) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

bool is_printable(char32_t code) {
    if (is_ascii(code)) return code >= 0x20 && code != 0x7F;
    switch (category(code)) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return false;
        default:
            return true;
    }
}

bool is_letter(char32_t code) {
    const auto c = category(code);
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t code) {
    return category(code) == UTF8PROC_CATEGORY_ND;
}

bool is_upper(char32_t code) {
    return category(code) == UTF8PROC_CATEGORY_LU;
}

bool is_lower(char32_t code) {
    return category(code) == UTF8PROC_CATEGORY_LL;
}

namespace {

/// Calls append(out, character) for each character.
template <typename Append>
std::string mapped(std::string_view text, Append append) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size();) {
        const Character c = character_at(text, i);
        append(out, c);
        i += c.bytes.size();
    }
    return out;
}

bool has_case(char32_t code) {
    return is_upper(code) || is_lower(code) || category(code) == UTF8PROC_CATEGORY_LT;
}

}  // namespace

std::string upper(std::string_view text) {
    return mapped(text, append_upper);
}

std::string lower(std::string_view text) {
    return mapped(text, append_lower);
}

std::string title(std::string_view text) {
    bool in_word = false;
    return mapped(text, [&](std::string& out, Character c) {
        in_word ? append_lower(out, c) : append_title(out, c);
        in_word = has_case(c.code);
    });
}

std::string swap_case(std::string_view text) {
    return mapped(text, [](std::string& out, Character c) {
        if (is_upper(c.code))
            append_lower(out, c);
        else if (is_lower(c.code))
            append_upper(out, c);
        else
            out += c.bytes;
    });
}

std::string capitalize(std::string_view text) {
    if (text.empty()) return {};
    std::string out;
    const Character first = character_at(text, 0);
    append_title(out, first);
    return out + lower(text.substr(first.bytes.size()));
}

std::string_view strip(std::string_view text, const std::string_view* set, bool left, bool right) {
    while (left && !text.empty()) {
        const Character c = character_at(text, 0);
        if (!belongs(c, set)) break;
        text.remove_prefix(c.bytes.size());
    }
    while (right && !text.empty()) {
        const Character c = last_character(text);
        if (!belongs(c, set)) break;
        text.remove_suffix(c.bytes.size());
    }
    return text;
}

}  // namespace brigada::jinja
