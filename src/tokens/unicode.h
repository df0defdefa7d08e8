// Characters of UTF-8 text and the classes that tokenizers' patterns speak of. Bytes that are not
// UTF-8 are characters of one byte and no class, so that any input can be walked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace brigada {

/// Bits: a character may have several (none has two of the first five).
enum CharClass : uint8_t {
    kUpper = 1,         // \p{Lu} \p{Lt}
    kLower = 2,         // \p{Ll}
    kOtherLetter = 4,   // \p{Lm} \p{Lo}
    kMark = 8,          // \p{M}
    kNumber = 16,       // \p{N}
    kSpace = 32,        // \s: White_Space
    kPunctuation = 64,  // \p{P}
    kSymbol = 128,      // \p{S}
    kLetter = kUpper | kLower | kOtherLetter,
};

inline constexpr char32_t kNotACharacter = 0xffffffff;
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct Char {
    char32_t code = kNotACharacter;  // kNotACharacter: a byte that is not UTF-8
    uint32_t bytes = 1;
};

/// The character at byte `at`, which must be below text.size(). Overlong forms, surrogates and
/// code points above U+10FFFF are not UTF-8.
Char char_at(std::string_view text, size_t at);

/// The CharClass bits of a code point; 0 for unassigned ones and kNotACharacter.
uint8_t classes_of(char32_t code);

/// The same for bytes below 0x80; 0 above.
extern const std::array<uint8_t, 256> kAsciiClasses;

/// How many bytes at the end of `text` begin a character that more bytes could complete: 0 to 3.
size_t unfinished_bytes(std::string_view text);

/// Appends `text` with everything that is not UTF-8 replaced: each maximal beginning of a
/// character, or else each byte, by one U+FFFD (the practice the Unicode standard recommends).
void append_valid_utf8(std::string_view text, std::string& out);

/// Appends `code`, which must be a Unicode scalar value, as UTF-8.
void append_utf8(char32_t code, std::string& out);

}  // namespace brigada
