// QuantBlock: one quantised block of a file with its bit fields taken apart, the same shape for
// every format. Everything that reads quantised weights, packing and plain dequantising, starts
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/weight_type.h"

namespace brigada {

/// How a quantised format means its numbers. Columns come in groups that share a scale:
///   value = scale_g * (code - offset) + min_g
/// Formats with super-blocks of 256 store scale_g = d * sc and min_g = -dmin * mn, with 4- to 8-bit
/// integers sc and mn per group; the others store scale_g and min_g as f16 per 32 columns.
struct QuantTraits {
    int code_bits;   // 4 or 8: what a packed code takes; the file may use fewer
    int max_code;    // codes are 0..max_code
    int offset;      // a power of two, or 0
    int group_cols;  // 16 or 32
    bool has_min;
    bool is_super;         // scales in two steps
    bool scale_is_signed;  // sc is int8, otherwise uint8
};

constexpr QuantTraits quant_traits(WeightType type) {
    switch (type) {
        case WeightType::q4_0:
            return {4, 15, 8, 32, false, false, false};
        case WeightType::q4_1:
            return {4, 15, 0, 32, true, false, false};
        case WeightType::q5_0:
            return {8, 31, 16, 32, false, false, false};
        case WeightType::q5_1:
            return {8, 31, 0, 32, true, false, false};
        case WeightType::q8_0:
            return {8, 255, 128, 32, false, false, false};
        case WeightType::q2_k:
            return {4, 3, 0, 16, true, true, false};
        case WeightType::q3_k:
            return {4, 7, 4, 16, false, true, true};
        case WeightType::q4_k:
            return {4, 15, 0, 32, true, true, false};
        case WeightType::q5_k:
            return {8, 31, 0, 32, true, true, false};
        case WeightType::q6_k:
            return {8, 63, 32, 16, false, true, true};
        default:
            return {};
    }
}

struct QuantBlock {
    uint8_t codes[256];  // the first block_shape(type).cols are used
    uint16_t d;          // f16: the scale, or the super-block's factor of scales
    uint16_t m;          // f16: the min, or the super-block's factor of mins, already negated
    uint8_t scales[16];  // sc per group, int8 bits where scale_is_signed; 1 without super-blocks
    uint8_t mins[16];    // mn per group; 1 without super-blocks
};

/// Takes apart the block_shape(type).bytes bytes at `bytes`. Any bytes are a valid block.
QuantBlock read_block(WeightType type, const std::byte* bytes);

/// One row of a file to float, any type:
///   row  [row_bytes(type, cols)] bytes      out  [cols] float
/// The exact value where that fits a float, otherwise rounded once. CHECKs that sizes match.
void dequantise_row(WeightType type, std::span<const std::byte> row, std::span<float> out);

}  // namespace brigada
