// Hex: bytes as digits, for digests and random names.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace brigada {

/// Two lower-case digits for each byte: {0x0A, 0xFF} is "0aff".
inline std::string hex_of(std::span<const uint8_t> bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const uint8_t byte : bytes) {
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

}  // namespace brigada
