// Half-precision numbers as bits: f16 (IEEE binary16) and bf16 (the upper half of a float).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace brigada {

inline float f16_to_float(uint16_t bits) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
}

/// Nearest, ties to even; too large becomes infinity.
inline uint16_t float_to_f16(float value) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

inline float bf16_to_float(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Nearest, ties to even; a NaN stays a (quiet) NaN.
inline uint16_t float_to_bf16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
    return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace brigada
