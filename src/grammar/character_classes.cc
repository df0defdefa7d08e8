#include "grammar/character_classes.h"

#include "tokens/unicode.h"

namespace brigada {

namespace {

CodePointSet ecma_white_space() {
    return {{'\t', '\r'},     {' ', ' '},       {0xa0, 0xa0},     {0x1680, 0x1680},
            {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
            {0x3000, 0x3000}, {0xfeff, 0xfeff}};
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

CodePointSet with_classes(uint8_t wanted) {
    CodePointSet out;
    char32_t first = 0;
    bool inside = false;
    for (char32_t code = 0; code <= kLastCodePoint + 1; ++code) {
        const bool now = code <= kLastCodePoint && (classes_of(code) & wanted) != 0;
        if (now && !inside) first = code;
        if (!now && inside) out.add({first, code - 1});
        inside = now;
    }
    return out;
}

}  // namespace

std::optional<CodePointSet> class_of_letter(char32_t letter) {
    switch (letter) {
        case 'd':
            return CodePointSet{{'0', '9'}};
        case 'w':
            return CodePointSet{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
        case 's':
            return ecma_white_space();
        case 'D':
        case 'W':
        case 'S':
            return class_of_letter(letter - 'A' + 'a')->complement();
        default:
            return std::nullopt;
    }
}

CodePointSet any_but_line_ends() {
    return CodePointSet{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.complement();
}

std::optional<CodePointSet> class_of_category(std::string_view name) {
    if (name == "L" || name == "Letter") return with_classes(kLetter);
    if (name == "M" || name == "Mark") return with_classes(kMark);
    if (name == "N" || name == "Number") return with_classes(kNumber);
    if (name == "P" || name == "Punctuation") return with_classes(kPunctuation);
    if (name == "S" || name == "Symbol") return with_classes(kSymbol);
    return std::nullopt;
}

char32_t CharacterCursor::peek() const {
    return at_end() ? kNotACharacter : char_at(text_, at_).code;
}

char32_t CharacterCursor::take() {
    if (at_end()) return kNotACharacter;
    const Char c = char_at(text_, at_);
    at_ += c.bytes;
    return c.code;
}

bool CharacterCursor::accept(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
}

std::optional<std::string_view> CharacterCursor::take_until(char end) {
    const size_t found = text_.find(end, at_);
    if (found == text_.npos) return std::nullopt;
    const std::string_view out = text_.substr(at_, found - at_);
    at_ = found + 1;
    return out;
}

std::optional<char32_t> CharacterCursor::take_hex(int digits) {
    char32_t out = 0;
    for (int i = 0; i < digits; ++i) {
        const int digit = at_end() ? -1 : hex_digit(text_[at_]);
        if (digit < 0) return std::nullopt;
        out = out * 16 + static_cast<char32_t>(digit);
        ++at_;
    }
    return out;
}

std::optional<uint32_t> CharacterCursor::take_decimal() {
    uint32_t out = 0;
    size_t digits = 0;
    for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9' && digits < 10; ++digits, ++at_)
        out = out * 10 + static_cast<uint32_t>(text_[at_] - '0');
    return digits == 0 || digits > 9 ? std::nullopt : std::optional(out);
}

bool is_scalar_value(char32_t code) {
    return code <= kLastCodePoint && (code < 0xd800 || code > 0xdfff);
}

}  // namespace brigada
