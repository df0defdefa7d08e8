#include "model/dequantise.h"

#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/half.h"

namespace brigada {

namespace {

uint8_t u8(const std::byte* p) {
    return static_cast<uint8_t>(*p);
}
int8_t i8(const std::byte* p) {
    return static_cast<int8_t>(*p);
}

/// Little-endian, as everything in these files.
template <typename T>
T load(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

float f16(const std::byte* p) {
    return f16_to_float(load<uint16_t>(p));
}

uint8_t low_nibble(const std::byte* p) {
    return u8(p) & 15;
}
uint8_t high_nibble(const std::byte* p) {
    return u8(p) >> 4;
}

// --- blocks of 32: number j is the low nibble of byte j, number j + 16 the high one
// ---------------

void q4_0(const std::byte* block, float* out) {
    const float d = f16(block);
    for (int j = 0; j < 16; ++j) {
        out[j] = d * static_cast<float>(low_nibble(block + 2 + j) - 8);
        out[j + 16] = d * static_cast<float>(high_nibble(block + 2 + j) - 8);
    }
}

void q4_1(const std::byte* block, float* out) {
    const float d = f16(block), m = f16(block + 2);
    for (int j = 0; j < 16; ++j) {
        out[j] = d * static_cast<float>(low_nibble(block + 4 + j)) + m;
        out[j + 16] = d * static_cast<float>(high_nibble(block + 4 + j)) + m;
    }
}

/// The five bits of number j: a nibble, and bit j of `fifths`.
int five_bits(const std::byte* nibbles, uint32_t fifths, int j) {
    const int low = j < 16 ? low_nibble(nibbles + j) : high_nibble(nibbles + j - 16);
    return low | static_cast<int>((fifths >> j) & 1) << 4;
}

void q5_0(const std::byte* block, float* out) {
    const float d = f16(block);
    const uint32_t fifths = load<uint32_t>(block + 2);
    for (int j = 0; j < 32; ++j)
        out[j] = d * static_cast<float>(five_bits(block + 6, fifths, j) - 16);
}

void q5_1(const std::byte* block, float* out) {
    const float d = f16(block), m = f16(block + 2);
    const uint32_t fifths = load<uint32_t>(block + 4);
    for (int j = 0; j < 32; ++j)
        out[j] = d * static_cast<float>(five_bits(block + 8, fifths, j)) + m;
}

void q8_0(const std::byte* block, float* out) {
    const float d = f16(block);
    for (int j = 0; j < 32; ++j)
        out[j] = d * static_cast<float>(i8(block + 2 + j));
}

// --- blocks of 256 ------------------------------------------------------------------------------

/// Crumb (two bits) of number j where 128 numbers lie in 32 bytes: four runs of 32, one per bit
/// pair.
int crumb(const std::byte* crumbs, int j) {
    return u8(crumbs + 32 * (j / 128) + j % 32) >> (2 * (j % 128 / 32)) & 3;
}

/// u8 scales[16] (scale low, minimum high nibble), crumbs[64], f16 d, f16 dmin.
void q2_k(const std::byte* block, float* out) {
    const std::byte *scales = block, *crumbs = block + 16;
    const float d = f16(block + 80), dmin = f16(block + 82);
    for (int j = 0; j < 256; ++j) {
        const float scale = d * static_cast<float>(low_nibble(scales + j / 16));
        const float minimum = dmin * static_cast<float>(high_nibble(scales + j / 16));
        out[j] = scale * static_cast<float>(crumb(crumbs, j)) - minimum;
    }
}

/// Six-bit scale k of 16: its low four bits are nibbles of bytes 0-7, its high two crumbs of 8-11.
int q3_k_scale(const std::byte* scales, int k) {
    const int low = k < 8 ? low_nibble(scales + k) : high_nibble(scales + k - 8);
    const int high = u8(scales + 8 + k % 4) >> (2 * (k / 4)) & 3;
    return (low | high << 4) - 32;
}

/// u8 third_bits[32] (bit j / 32 of byte j % 32; set means no 4 is taken away), crumbs[64],
/// scales[12], f16 d.
void q3_k(const std::byte* block, float* out) {
    const std::byte *third_bits = block, *crumbs = block + 32, *scales = block + 96;
    const float d = f16(block + 108);
    for (int j = 0; j < 256; ++j) {
        const int third = u8(third_bits + j % 32) >> (j / 32) & 1;
        const int q = crumb(crumbs, j) - (third ? 0 : 4);
        out[j] = d * static_cast<float>(q3_k_scale(scales, j / 16)) * static_cast<float>(q);
    }
}

struct ScaleAndMin {
    int scale, minimum;
};

/// Pair k of 8, six bits each: the first four lie in bytes 0-3 and 4-7, the others in the nibbles
/// of bytes 8-11 with their high bits on top of bytes 0-7.
ScaleAndMin q45_k_scales(const std::byte* scales, int k) {
    if (k < 4) return {u8(scales + k) & 63, u8(scales + k + 4) & 63};
    return {low_nibble(scales + k + 4) | (u8(scales + k - 4) >> 6) << 4,
            high_nibble(scales + k + 4) | (u8(scales + k) >> 6) << 4};
}

/// Nibble of number j where 64 numbers lie in 32 bytes: the low ones first.
int nibble_of_64(const std::byte* nibbles, int j) {
    const std::byte* byte = nibbles + 32 * (j / 64) + j % 32;
    return j % 64 < 32 ? low_nibble(byte) : high_nibble(byte);
}

/// f16 d, f16 dmin, scales[12], nibbles[128].
void q4_k(const std::byte* block, float* out) {
    const float d = f16(block), dmin = f16(block + 2);
    for (int j = 0; j < 256; ++j) {
        const ScaleAndMin s = q45_k_scales(block + 4, j / 32);
        out[j] = d * static_cast<float>(s.scale) * static_cast<float>(nibble_of_64(block + 16, j)) -
                 dmin * static_cast<float>(s.minimum);
    }
}

/// f16 d, f16 dmin, scales[12], u8 fifth_bits[32] (bit j / 32 of byte j % 32), nibbles[128].
void q5_k(const std::byte* block, float* out) {
    const float d = f16(block), dmin = f16(block + 2);
    for (int j = 0; j < 256; ++j) {
        const ScaleAndMin s = q45_k_scales(block + 4, j / 32);
        const int fifth = u8(block + 16 + j % 32) >> (j / 32) & 1;
        const int q = nibble_of_64(block + 48, j) | fifth << 4;
        out[j] = d * static_cast<float>(s.scale) * static_cast<float>(q) -
                 dmin * static_cast<float>(s.minimum);
    }
}

/// u8 low[128] (128 numbers in 64 bytes, low nibbles first), high crumbs[64], i8 scales[16], f16 d.
void q6_k(const std::byte* block, float* out) {
    const std::byte *low = block, *high = block + 128, *scales = block + 192;
    const float d = f16(block + 208);
    for (int j = 0; j < 256; ++j) {
        const std::byte* byte = low + 64 * (j / 128) + j % 64;
        const int nibble = j % 128 < 64 ? low_nibble(byte) : high_nibble(byte);
        const int q = (nibble | crumb(high, j) << 4) - 32;
        out[j] = d * static_cast<float>(i8(scales + j / 16)) * static_cast<float>(q);
    }
}

using DequantiseBlock = void (*)(const std::byte* block, float* out);

/// In the order of DType.
constexpr std::array<DequantiseBlock, kReadDTypes.size()> kDequantiseBlock = {
    [](const std::byte* block, float* out) { *out = load<float>(block); },
    [](const std::byte* block, float* out) { *out = f16(block); },
    [](const std::byte* block, float* out) { *out = bf16_to_float(load<uint16_t>(block)); },
    q4_0,
    q4_1,
    q5_0,
    q5_1,
    q8_0,
    q2_k,
    q3_k,
    q4_k,
    q5_k,
    q6_k};

}  // namespace

void dequantise_row(DType type, const std::byte* row, size_t cols, float* out) {
    CHECK(is_read(type), to_string(type));
    const DequantiseBlock block = kDequantiseBlock[static_cast<size_t>(type)];
    const size_t elements = block_elements(type), bytes = block_bytes(type);
    const size_t blocks = row_bytes(type, cols) / bytes;
    for (size_t i = 0; i < blocks; ++i)
        block(row + i * bytes, out + i * elements);
}

std::vector<float> dequantise(const Tensor& tensor) {
    std::vector<float> out(tensor.elements());
    for (uint64_t row = 0; row < tensor.rows(); ++row)
        dequantise_row(tensor.dtype, tensor.row(row).data(), tensor.cols(),
                       out.data() + row * tensor.cols());
    return out;
}

}  // namespace brigada
