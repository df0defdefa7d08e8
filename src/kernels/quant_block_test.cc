#include "kernels/quant_block.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "base/file.h"
#include "base/half.h"

namespace brigada {
namespace {

std::vector<std::byte> read_golden(const std::string& name) {
    const auto text = read_file(Path(BRIGADA_TESTDATA) / "quants" / name, 1 << 20);
    CHECK(text.ok(), text.ok() ? "" : text.error().message);
    std::vector<std::byte> out(text->size());
    std::memcpy(out.data(), text->data(), text->size());
    return out;
}

TEST(QuantBlock, reads_what_the_gguf_package_reads) {
    for (const WeightType type : kAllWeightTypes) {
        if (!is_quantised(type)) continue;
        SCOPED_TRACE(to_string(type));
        const std::string name(to_string(type));
        const auto blocks = read_golden(name + ".blocks");
        const auto golden_bytes = read_golden(name + ".f32");
        std::vector<float> golden(golden_bytes.size() / 4);
        std::memcpy(golden.data(), golden_bytes.data(), golden_bytes.size());
        ASSERT_EQ(golden.size(), 1024u);
        std::vector<float> ours(golden.size());
        dequantise_row(type, blocks, ours);
        for (size_t i = 0; i < golden.size(); ++i)
            ASSERT_EQ(ours[i], golden[i]) << "weight " << i;
    }
}

/// The value of an f16 by its definition.
double f16_by_definition(uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int mantissa = bits & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, turns_every_f16_into_its_float) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float value = f16_to_float(static_cast<uint16_t>(bits));
        ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0);
        if ((bits & 0x7c00) != 0x7c00)
            ASSERT_EQ(value, f16_by_definition(static_cast<uint16_t>(bits))) << bits;
        else if ((bits & 0x3ff) == 0)
            ASSERT_TRUE(std::isinf(value)) << bits;
        else
            ASSERT_TRUE(std::isnan(value)) << bits;
    }
}

TEST(Half, rounds_to_the_nearest_bf16) {
    for (uint32_t high = 0; high < 0x7f80; ++high) {  // finite, positive
        const float below = bf16_to_float(static_cast<uint16_t>(high));
        const auto between = [&](uint32_t low) {
            return float_to_bf16(std::bit_cast<float>(high << 16 | low));
        };
        ASSERT_EQ(float_to_bf16(below), high);
        ASSERT_EQ(between(0x7fff), high);
        ASSERT_EQ(between(0x8000), high + (high & 1)) << "ties go to even";
        ASSERT_EQ(between(0x8001), high + 1);
    }
    const float nan = std::bit_cast<float>(0x7f800001u);  // its upper half alone is infinity
    EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(nan))));
}

TEST(WeightType, refuses_rows_that_do_not_fit_blocks) {
    EXPECT_EQ(row_bytes(WeightType::q4_0, 64).value(), 36u);
    EXPECT_EQ(row_bytes(WeightType::f16, 172).value(), 344u);
    EXPECT_EQ(row_bytes(WeightType::q8_0, 172).error().code, Code::unsupported);
    EXPECT_EQ(row_bytes(WeightType::f32, 0).error().code, Code::unsupported);
    EXPECT_EQ(row_bytes(WeightType::f32, SIZE_MAX).error().code, Code::too_large);
}

}  // namespace
}  // namespace brigada
