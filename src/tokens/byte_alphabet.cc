#include "tokens/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "tokens/unicode.h"

namespace brigada {

namespace {

constexpr size_t kLetters = 0x144;

struct Alphabet {
    std::array<char32_t, 256> letter{};    // [byte]
    std::array<int16_t, kLetters> byte{};  // [code point], or -1
};

constexpr Alphabet make_alphabet() {
    Alphabet out;
    out.byte.fill(-1);
    char32_t other = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
        const bool printable = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xff && b != 0xad);
        out.letter[b] = printable ? b : other++;
        out.byte[out.letter[b]] = static_cast<int16_t>(b);
    }
    return out;
}

constexpr Alphabet kAlphabet = make_alphabet();
static_assert(kAlphabet.letter[' '] == 0x120 && kAlphabet.letter[0xad] == 0x143);

}  // namespace

std::string bytes_of_alphabet(std::string_view piece) {
    std::string out;
    for (size_t at = 0; at < piece.size();) {
        const Char c = char_at(piece, at);
        if (c.code >= kLetters || kAlphabet.byte[c.code] < 0) return std::string(piece);
        out += static_cast<char>(kAlphabet.byte[c.code]);
        at += c.bytes;
    }
    return out;
}

std::string alphabet_of_bytes(std::string_view bytes) {
    std::string out;
    for (const char b : bytes)
        append_utf8(kAlphabet.letter[static_cast<uint8_t>(b)], out);
    return out;
}

}  // namespace brigada
