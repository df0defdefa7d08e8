#include "jinja/string_literal.h"

#include <charconv>

#include "base/concat.h"
#include "jinja/unicode.h"

namespace brigada::jinja {

namespace {

/// The character of a one-letter escape; 0 when there is none.
char simple_escape(char c) {
    switch (c) {
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        case 'a':
            return '\a';
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'v':
            return '\v';
        case '\\':
        case '\'':
        case '"':
            return c;
        default:
            return 0;
    }
}

size_t digits_of(char letter) {
    switch (letter) {
        case 'x':
            return 2;
        case 'u':
            return 4;
        case 'U':
            return 8;
        default:
            return 0;
    }
}

Result<char32_t> parse_code(std::string_view digits, size_t wanted) {
    uint32_t code = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, code, 16);
    if (digits.size() != wanted || error != std::errc() || stop != end)
        return Error{Code::invalid_argument,
                     concat("an escape needs ", wanted, " hexadecimal digits, not '", digits, "'")};
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return Error{Code::invalid_argument, concat("'", digits, "' is no Unicode character")};
    return char32_t{code};
}

size_t octal_digits(std::string_view text) {
    size_t n = 0;
    while (n < 3 && n < text.size() && text[n] >= '0' && text[n] <= '7')
        ++n;
    return n;
}

/// Appends what the escape at the start of `rest` (after its backslash) means; its length.
Result<size_t> append_escape(std::string& out, std::string_view rest) {
    const char letter = rest[0];
    if (const char plain = simple_escape(letter)) {
        out += plain;
        return size_t{1};
    }
    if (letter == '\n') return size_t{1};  // a line continued
    if (const size_t digits = digits_of(letter)) {
        TRY(const char32_t code, parse_code(rest.substr(1, digits), digits));
        append_code(out, code);
        return 1 + digits;
    }
    if (const size_t digits = octal_digits(rest)) {
        uint32_t code = 0;
        std::from_chars(rest.data(), rest.data() + digits, code, 8);
        append_code(out, code);
        return digits;
    }
    if (letter == 'N') return Error{Code::invalid_argument, "\\N{...} is not supported; use \\u"};
    out += '\\';
    out += letter;
    return size_t{1};
}

}  // namespace

Result<std::string> decode_string_literal(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size();) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i++];
            continue;
        }
        TRY(const size_t taken, append_escape(out, text.substr(i + 1)));
        i += 1 + taken;
    }
    return out;
}

}  // namespace brigada::jinja
