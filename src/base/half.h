// Half: the two 16-bit float formats as bits, to float and back, exact where that is possible. The
// kernels' vectors have instructions for this; here is what files, packers and tests use.
#pragma once

#include <bit>
#include <cstdint>

namespace brigada {

/// IEEE 754 binary16 bits to float; exact, infinities and NaN included.
constexpr float f16_to_float(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const uint32_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u)  // infinity or NaN: exponent all ones
        return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude < 0x400u) {  // subnormal: a multiple of 2^-24
        const float value = static_cast<float>(magnitude) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
}

/// The nearest binary16, ties to even; too large becomes infinity.
inline uint16_t float_to_f16(float value) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

/// bfloat16 bits to float; exact.
constexpr float bf16_to_float(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// The nearest bfloat16, ties to even; a NaN stays a NaN.
constexpr uint16_t float_to_bf16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
    return static_cast<uint16_t>((is_nan ? bits | 0x400000u : rounded) >> 16);
}

}  // namespace brigada
