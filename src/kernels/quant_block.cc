// Source of every layout below: the GGUF specification's block structures. Two packings recur:
//   nibbles of 32   byte j holds column j (low) and j + 16 (high)
//   K-quants        planes of 2 or 4 bits, each plane running over a 32- or 64-column stretch
#include "kernels/quant_block.h"

#include <cstring>

#include "base/half.h"

namespace brigada {
namespace {

using Bytes = const uint8_t*;

uint16_t read_u16(Bytes bytes) {
    return static_cast<uint16_t>(bytes[0] | (bytes[1] << 8));
}

uint16_t negated_f16(uint16_t bits) {
    return bits ^ 0x8000u;
}

void read_nibbles(Bytes packed, QuantBlock& out) {
    for (int j = 0; j < 16; ++j) {
        out.codes[j] = packed[j] & 15;
        out.codes[j + 16] = packed[j] >> 4;
    }
}

/// The fifth bits of 32 columns: bit j of a little-endian word belongs to column j.
void add_fifth_bits(Bytes bits, QuantBlock& out) {
    for (int j = 0; j < 32; ++j)
        out.codes[j] = static_cast<uint8_t>(out.codes[j] | (((bits[j / 8] >> (j % 8)) & 1) << 4));
}

void use_plain_scales(QuantBlock& out) {
    std::memset(out.scales, 1, sizeof out.scales);
    std::memset(out.mins, 1, sizeof out.mins);
}

void read_q4_0(Bytes b, QuantBlock& out) {
    out.d = read_u16(b);
    read_nibbles(b + 2, out);
}

void read_q4_1(Bytes b, QuantBlock& out) {
    out.d = read_u16(b);
    out.m = read_u16(b + 2);
    read_nibbles(b + 4, out);
}

void read_q5_0(Bytes b, QuantBlock& out) {
    out.d = read_u16(b);
    read_nibbles(b + 6, out);
    add_fifth_bits(b + 2, out);
}

void read_q5_1(Bytes b, QuantBlock& out) {
    out.d = read_u16(b);
    out.m = read_u16(b + 2);
    read_nibbles(b + 8, out);
    add_fifth_bits(b + 4, out);
}

void read_q8_0(Bytes b, QuantBlock& out) {
    out.d = read_u16(b);
    for (int j = 0; j < 32; ++j)
        out.codes[j] = b[2 + j] ^ 0x80u;  // int8 + 128
}

/// scales[16] (low nibble sc, high nibble mn), qs[64], d, dmin. Byte l of a 32-byte half holds
/// columns l, l + 32, l + 64, l + 96 of that half, two bits each.
void read_q2_k(Bytes b, QuantBlock& out) {
    for (int g = 0; g < 16; ++g) {
        out.scales[g] = b[g] & 15;
        out.mins[g] = b[g] >> 4;
    }
    for (int c = 0; c < 256; ++c) {
        const int half = c / 128;
        const int shift = 2 * (c % 128 / 32);
        out.codes[c] = (b[16 + half * 32 + c % 32] >> shift) & 3;
    }
    out.d = read_u16(b + 80);
    out.m = negated_f16(read_u16(b + 82));
}

/// The sixteen 6-bit scales of Q3_K in 12 bytes: 8 bytes of low nibbles, 4 bytes of high bit pairs;
/// stored + 32.
void read_q3_k_scales(Bytes b, QuantBlock& out) {
    for (int g = 0; g < 16; ++g) {
        const int low = g < 8 ? b[g] & 15 : b[g - 8] >> 4;
        const int high = (b[8 + g % 4] >> (2 * (g / 4))) & 3;
        out.scales[g] = static_cast<uint8_t>(static_cast<int8_t>((low | (high << 4)) - 32));
    }
}

/// hmask[32], qs[64], scales[12], d. Two low bits as in Q2_K; the third is bit c/32 of hmask[c%32].
void read_q3_k(Bytes b, QuantBlock& out) {
    for (int c = 0; c < 256; ++c) {
        const int half = c / 128;
        const int shift = 2 * (c % 128 / 32);
        const int low = (b[32 + half * 32 + c % 32] >> shift) & 3;
        const int high = (b[c % 32] >> (c / 32)) & 1;
        out.codes[c] = static_cast<uint8_t>(low | (high << 2));  // value + 4
    }
    read_q3_k_scales(b + 96, out);
    out.d = read_u16(b + 108);
}

/// d, dmin and the eight 6-bit (scale, min) pairs of Q4_K and Q5_K in 12 bytes: groups 0..3 whole
/// in bytes 0..3 and 4..7; groups 4..7 as nibbles in bytes 8..11, their top two bits above the
/// first ones.
void read_k_scales(Bytes b, QuantBlock& out) {
    out.d = read_u16(b);
    out.m = negated_f16(read_u16(b + 2));
    Bytes packed = b + 4;
    for (int g = 0; g < 4; ++g) {
        out.scales[g] = packed[g] & 63;
        out.mins[g] = packed[g + 4] & 63;
        out.scales[g + 4] = static_cast<uint8_t>((packed[g + 8] & 15) | ((packed[g] >> 6) << 4));
        out.mins[g + 4] = static_cast<uint8_t>((packed[g + 8] >> 4) | ((packed[g + 4] >> 6) << 4));
    }
}

/// Nibbles of Q4_K and Q5_K: byte l of 32-byte stretch s holds columns 64 s + l and 64 s + 32 + l.
void read_k_nibbles(Bytes packed, QuantBlock& out) {
    for (int c = 0; c < 256; ++c) {
        const uint8_t byte = packed[c / 64 * 32 + c % 32];
        out.codes[c] = c % 64 < 32 ? byte & 15 : byte >> 4;
    }
}

void read_q4_k(Bytes b, QuantBlock& out) {
    read_k_scales(b, out);
    read_k_nibbles(b + 16, out);
}

/// As Q4_K with qh[32] before the nibbles: the fifth bit of column c is bit c/32 of qh[c%32].
void read_q5_k(Bytes b, QuantBlock& out) {
    read_k_scales(b, out);
    read_k_nibbles(b + 48, out);
    for (int c = 0; c < 256; ++c)
        out.codes[c] =
            static_cast<uint8_t>(out.codes[c] | (((b[16 + c % 32] >> (c / 32)) & 1) << 4));
}

/// ql[128], qh[64], int8 scales[16], d. Per half of 128 columns, stretch s of 32 takes the low
/// (s < 2) or high nibbles of ql bytes 32 (s % 2) + l and bits 2 s of qh byte l; stored + 32.
void read_q6_k(Bytes b, QuantBlock& out) {
    for (int c = 0; c < 256; ++c) {
        const int half = c / 128;
        const int stretch = c % 128 / 32;
        const uint8_t low_byte = b[half * 64 + stretch % 2 * 32 + c % 32];
        const int low = stretch < 2 ? low_byte & 15 : low_byte >> 4;
        const int high = (b[128 + half * 32 + c % 32] >> (2 * stretch)) & 3;
        out.codes[c] = static_cast<uint8_t>(low | (high << 4));
    }
    std::memcpy(out.scales, b + 192, 16);
    out.d = read_u16(b + 208);
}

void dequantise_block(const QuantTraits& traits, const QuantBlock& block, std::span<float> out) {
    const float d = f16_to_float(block.d);
    const float m = f16_to_float(block.m);
    for (size_t c = 0; c < out.size(); ++c) {
        const size_t g = c / static_cast<size_t>(traits.group_cols);
        const uint8_t sc = block.scales[g];
        const float scale = d * static_cast<float>(traits.scale_is_signed ? static_cast<int8_t>(sc)
                                                                          : static_cast<int>(sc));
        const float product = scale * static_cast<float>(block.codes[c] - traits.offset);
        out[c] = traits.has_min ? product + m * static_cast<float>(block.mins[g]) : product;
    }
}

float read_float(WeightType type, const std::byte* row, size_t col) {
    if (type == WeightType::f32) {
        float value = 0;
        std::memcpy(&value, row + col * 4, 4);
        return value;
    }
    const uint16_t bits = read_u16(reinterpret_cast<Bytes>(row) + col * 2);
    return type == WeightType::f16 ? f16_to_float(bits) : bf16_to_float(bits);
}

}  // namespace

QuantBlock read_block(WeightType type, const std::byte* bytes) {
    QuantBlock out{};
    if (!quant_traits(type).is_super) use_plain_scales(out);
    const Bytes b = reinterpret_cast<Bytes>(bytes);
    switch (type) {
        case WeightType::q4_0:
            read_q4_0(b, out);
            break;
        case WeightType::q4_1:
            read_q4_1(b, out);
            break;
        case WeightType::q5_0:
            read_q5_0(b, out);
            break;
        case WeightType::q5_1:
            read_q5_1(b, out);
            break;
        case WeightType::q8_0:
            read_q8_0(b, out);
            break;
        case WeightType::q2_k:
            read_q2_k(b, out);
            break;
        case WeightType::q3_k:
            read_q3_k(b, out);
            break;
        case WeightType::q4_k:
            read_q4_k(b, out);
            break;
        case WeightType::q5_k:
            read_q5_k(b, out);
            break;
        case WeightType::q6_k:
            read_q6_k(b, out);
            break;
        default:
            CHECK(false, to_string(type), " has no blocks");
    }
    return out;
}

void dequantise_row(WeightType type, std::span<const std::byte> row, std::span<float> out) {
    const BlockShape shape = block_shape(type);
    CHECK(out.size() % shape.cols == 0 && row.size() == out.size() / shape.cols * shape.bytes,
          row.size(), " bytes for ", out.size(), " ", to_string(type), " weights");
    if (!is_quantised(type)) {
        for (size_t c = 0; c < out.size(); ++c)
            out[c] = read_float(type, row.data(), c);
        return;
    }
    const QuantTraits traits = quant_traits(type);
    for (size_t b = 0; b * shape.cols < out.size(); ++b)
        dequantise_block(traits, read_block(type, row.data() + b * shape.bytes),
                         out.subspan(b * shape.cols, shape.cols));
}

}  // namespace brigada
