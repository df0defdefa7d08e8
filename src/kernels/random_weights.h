// Random weights and activations for tests and benchmarks: bytes as a file would store them, with
// scales that keep values near one, and on request only the codes that stress integer kernels most.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "base/half.h"
#include "base/rng.h"
#include "kernels/weight_type.h"

namespace brigada {

enum class Codes { any, extreme };  // extreme: every byte 0x00, 0x7f, 0x80 or 0xff

/// Byte offsets of the f16 fields of a quantised block, -1 for none.
struct F16Fields {
    int first = -1;
    int second = -1;
};

inline F16Fields f16_fields(WeightType type) {
    switch (type) {
        case WeightType::q4_0:
        case WeightType::q5_0:
        case WeightType::q8_0:
            return {0, -1};
        case WeightType::q4_1:
        case WeightType::q5_1:
        case WeightType::q4_k:
        case WeightType::q5_k:
            return {0, 2};
        case WeightType::q2_k:
            return {80, 82};
        case WeightType::q3_k:
            return {108, -1};
        case WeightType::q6_k:
            return {208, -1};
        default:
            return {};
    }
}

/// A float in [-1, 1), as the 16 or 32 bits of a float format.
inline void put_random_float(WeightType type, Rng& rng, std::byte* to) {
    const float value = static_cast<float>(rng.uniform() * 2 - 1);
    if (type == WeightType::f32) {
        std::memcpy(to, &value, 4);
        return;
    }
    // Sign, an exponent of 2^-8 to 2^-1 and a random mantissa, whatever the field widths.
    const auto bits = static_cast<uint16_t>(
        type == WeightType::bf16 ? float_to_bf16(value)
                                 : rng.below(2) << 15 | (7 + rng.below(8)) << 10 | rng.below(1024));
    std::memcpy(to, &bits, 2);
}

/// f16 bits of +-[2^-8, 2^-5).
inline uint16_t random_scale(Rng& rng) {
    return static_cast<uint16_t>(rng.below(2) << 15 | (7 + rng.below(3)) << 10 | rng.below(1024));
}

/// A tensor [rows][cols] as stored.
inline std::vector<std::byte> random_weights(WeightType type, size_t rows, size_t cols, Rng& rng,
                                             Codes codes = Codes::any) {
    constexpr uint8_t kExtremes[] = {0x00, 0x7f, 0x80, 0xff};
    const BlockShape shape = block_shape(type);
    std::vector<std::byte> out(rows * cols / shape.cols * shape.bytes);
    const F16Fields fields = f16_fields(type);
    for (size_t at = 0; at < out.size(); at += shape.bytes) {
        if (!is_quantised(type)) {
            put_random_float(type, rng, &out[at]);
            continue;
        }
        for (size_t i = 0; i < shape.bytes; ++i)
            out[at + i] = std::byte{codes == Codes::any ? static_cast<uint8_t>(rng.next() >> 56)
                                                        : kExtremes[rng.below(4)]};
        for (const int field : {fields.first, fields.second}) {
            const uint16_t scale = random_scale(rng);
            if (field >= 0) std::memcpy(&out[at + static_cast<size_t>(field)], &scale, 2);
        }
    }
    return out;
}

/// Activations in [-1, 1) with an outlier of up to 8 in about one of 64; or only +-1.
inline std::vector<float> random_acts(size_t count, Rng& rng, Codes codes = Codes::any) {
    std::vector<float> out(count);
    for (float& x : out) {
        const double value = (rng.uniform() * 2 - 1) * (rng.chance(1.0 / 64) ? 8 : 1);
        x = codes == Codes::any ? static_cast<float>(value) : (value < 0 ? -1.0f : 1.0f);
    }
    return out;
}

}  // namespace brigada
