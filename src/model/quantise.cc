#include "model/quantise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/half.h"

namespace brigada {

namespace {

template <typename T>
void store(std::byte* out, T value) {
    std::memcpy(out, &value, sizeof value);
}

/// The reciprocal of a scale, 0 for a block of zeros.
float reciprocal(float scale) {
    return scale == 0 ? 0 : 1 / scale;
}

uint8_t nibble(float value) {
    return static_cast<uint8_t>(std::min(15, static_cast<int>(value)));  // value >= 0
}

/// Scale: the number of the greatest magnitude, sign kept, becomes -8.
void q4_0(const float* in, std::byte* out) {
    const float extreme = *std::max_element(
        in, in + 32, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    const float d = extreme / -8, id = reciprocal(d);
    store(out, float_to_f16(d));
    for (int j = 0; j < 16; ++j) {
        const uint8_t low = nibble(in[j] * id + 8.5f), high = nibble(in[j + 16] * id + 8.5f);
        out[2 + j] = static_cast<std::byte>(low | high << 4);
    }
}

/// The range of the block in 15 steps above its minimum.
void q4_1(const float* in, std::byte* out) {
    const auto [least, greatest] = std::minmax_element(in, in + 32);
    const float m = *least, d = (*greatest - m) / 15, id = reciprocal(d);
    store(out, float_to_f16(d));
    store(out + 2, float_to_f16(m));
    for (int j = 0; j < 16; ++j) {
        const uint8_t low = nibble((in[j] - m) * id + 0.5f);
        const uint8_t high = nibble((in[j + 16] - m) * id + 0.5f);
        out[4 + j] = static_cast<std::byte>(low | high << 4);
    }
}

void q8_0(const float* in, std::byte* out) {
    float extreme = 0;
    for (int j = 0; j < 32; ++j)
        extreme = std::max(extreme, std::fabs(in[j]));
    const float d = extreme / 127, id = reciprocal(d);
    store(out, float_to_f16(d));
    for (int j = 0; j < 32; ++j)
        out[2 + j] = static_cast<std::byte>(static_cast<int8_t>(std::round(in[j] * id)));
}

using QuantiseBlock = void (*)(const float* in, std::byte* out);

/// Null for a type that is not written.
QuantiseBlock quantise_block(DType type) {
    switch (type) {
        case DType::f32:
            return [](const float* in, std::byte* out) { store(out, *in); };
        case DType::f16:
            return [](const float* in, std::byte* out) { store(out, float_to_f16(*in)); };
        case DType::bf16:
            return [](const float* in, std::byte* out) { store(out, float_to_bf16(*in)); };
        case DType::q4_0:
            return q4_0;
        case DType::q4_1:
            return q4_1;
        case DType::q8_0:
            return q8_0;
        default:
            return nullptr;
    }
}

}  // namespace

bool can_quantise(DType type) {
    return quantise_block(type) != nullptr;
}

void quantise_row(DType type, const float* in, size_t cols, std::byte* out) {
    const QuantiseBlock block = quantise_block(type);
    CHECK(block != nullptr, "writing ", to_string(type));
    const size_t elements = block_elements(type), bytes = block_bytes(type);
    const size_t blocks = row_bytes(type, cols) / bytes;
    for (size_t i = 0; i < blocks; ++i)
        block(in + i * elements, out + i * bytes);
}

}  // namespace brigada
