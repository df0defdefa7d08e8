#include "model/dequantise.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/half.h"
#include "model/quantise.h"
#include "model/test_files.h"

namespace brigada {
namespace {

std::string lower_name(DType type) {
    std::string name(to_string(type));
    for (char& c : name)
        c = static_cast<char>(std::tolower(c));
    return name;
}

bool same_bits(float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

TEST(DequantiseRow, reads_what_the_gguf_package_reads_in_random_blocks) {
    const Path folder = Path(BRIGADA_TESTDATA) / "quants";
    for (const DType type : kReadDTypes) {
        if (block_elements(type) == 1) continue;
        SCOPED_TRACE(to_string(type));
        const std::vector<std::byte> blocks = test_bytes(folder / (lower_name(type) + ".blocks"));
        const std::vector<float> golden = test_floats(folder / (lower_name(type) + ".f32"));
        ASSERT_FALSE(golden.empty());
        ASSERT_EQ(blocks.size(), row_bytes(type, golden.size()));
        std::vector<float> out(golden.size());
        dequantise_row(type, blocks.data(), out.size(), out.data());
        for (size_t i = 0; i < golden.size(); ++i)
            ASSERT_EQ(out[i], golden[i]) << "number " << i;
    }
}

/// IEEE 754's definition of binary16, by its fields.
double f16_by_definition(uint16_t bits) {
    const int sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31)
        return fraction ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
    return exponent == 0 ? sign * std::ldexp(fraction, -24)
                         : sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(DequantiseRow, reads_every_f16_as_ieee_defines_it) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<uint16_t>(bits);
        const double expected = f16_by_definition(half);
        float value = 0;
        dequantise_row(DType::f16, reinterpret_cast<const std::byte*>(&half), 1, &value);
        if (std::isnan(expected))
            ASSERT_TRUE(std::isnan(value)) << bits;
        else
            ASSERT_EQ(value, expected) << bits;
    }
}

TEST(DequantiseRow, reads_floats_at_any_address) {
    const float numbers[] = {1.5f, -0.0f, 3e-41f};
    std::vector<std::byte> shifted(1 + sizeof numbers);
    std::copy_n(reinterpret_cast<const std::byte*>(numbers), sizeof numbers, shifted.data() + 1);
    float out[3];
    dequantise_row(DType::f32, shifted.data() + 1, 3, out);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(same_bits(out[i], numbers[i]));
}

TEST(QuantiseRow, stores_what_the_gguf_package_stores) {
    const Path folder = test_models() / "quantised";
    const std::vector<float> values = test_floats(folder / "values.f32");
    ASSERT_EQ(values.size(), 1024u);
    size_t types = 0;
    for (const DType type : kAllDTypes) {
        if (!can_quantise(type) || type == DType::f32) continue;
        SCOPED_TRACE(to_string(type));
        std::vector<std::byte> out(row_bytes(type, values.size()));
        quantise_row(type, values.data(), values.size(), out.data());
        EXPECT_EQ(out, test_bytes(folder / (lower_name(type) + ".blocks")));
        ++types;
    }
    EXPECT_EQ(types, 5u);
}

TEST(Half, bf16_rounds_to_nearest_with_ties_to_even) {
    EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x3f808000u)), 0x3f80);  // a tie, down to even
    EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x3f818000u)), 0x3f82);  // a tie, up to even
    EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
    EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::infinity()), 0x7f80);
    EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(Half, f16_that_is_too_large_becomes_infinity) {
    EXPECT_EQ(f16_to_float(float_to_f16(65504.0f)), 65504.0f);
    EXPECT_TRUE(std::isinf(f16_to_float(float_to_f16(65520.0f))));
}

}  // namespace
}  // namespace brigada
