// Text as Python sees it: code points in UTF-8, with the case and class rules of str's methods.
// Bytes that are not valid UTF-8 count as one character each and pass through unchanged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace brigada::jinja {

/// len(): code points.
size_t length(std::string_view text);
/// Byte offset of code point `index`; the size of `text` when there are fewer.
size_t offset_of(std::string_view text, size_t index);

/// The bytes of one character, and what it is; an invalid byte is its own number plus kInvalid.
struct Character {
    char32_t code;
    std::string_view bytes;
};
inline constexpr char32_t kInvalid = 0x80000000;
/// The character at byte `offset`. Needs offset < text.size().
Character character_at(std::string_view text, size_t offset);
std::vector<Character> characters(std::string_view text);
void append_code(std::string& out, char32_t code);

bool is_space(char32_t code);
bool is_line_end(char32_t code);  // what splitlines splits at
bool is_printable(char32_t code);
bool is_letter(char32_t code);
bool is_digit(char32_t code);
bool is_upper(char32_t code);
bool is_lower(char32_t code);

std::string upper(std::string_view text);
std::string lower(std::string_view text);
/// The first letter of each run of letters in title case, the rest in lower case, as str.title.
std::string title(std::string_view text);
std::string swap_case(std::string_view text);
/// The first character in title case, the rest in lower case.
std::string capitalize(std::string_view text);

/// Without the characters of `set` (white space when null) at either end.
std::string_view strip(std::string_view text, const std::string_view* set, bool left, bool right);
inline std::string_view strip(std::string_view text) {
    return strip(text, nullptr, true, true);
}

}  // namespace brigada::jinja
