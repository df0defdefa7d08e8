// Digits: numbers at the end of a text, without the formatter's detour: ids, times, prices and
// lengths that every call writes.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace brigada {

inline void append_decimal(std::string& out, int64_t number) {
    std::array<char, 20> digits;  // a sign and 19 of them
    const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    out.append(digits.begin(), end);
}

/// The last `width` decimal digits, zeros in front: (7, 3) is "007". At most 20.
inline void append_padded(std::string& out, uint64_t number, size_t width) {
    std::array<char, 20> digits;
    for (size_t i = width; i-- > 0; number /= 10)
        digits[i] = static_cast<char>('0' + number % 10);
    out.append(digits.data(), width);
}

/// 16 lower-case digits.
inline void append_hex(std::string& out, uint64_t number) {
    std::array<char, 16> digits;
    for (size_t i = digits.size(); i-- > 0; number >>= 4)
        digits[i] = "0123456789abcdef"[number & 15];
    out.append(digits.data(), digits.size());
}

}  // namespace brigada
