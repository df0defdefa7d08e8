#include "model/dtype.h"

#include <gtest/gtest.h>

#include <map>

namespace brigada {
namespace {

TEST(DType, has_the_numbers_and_sizes_of_the_specification) {
    struct Expected {
        const char* name;
        uint32_t number;
        size_t elements, bytes;
    };
    // ggml-common.h: type number, numbers per block, bytes per block.
    const Expected expected[] = {
        {"F32", 0, 1, 4},       {"F16", 1, 1, 2},       {"BF16", 30, 1, 2},
        {"Q4_0", 2, 32, 18},    {"Q4_1", 3, 32, 20},    {"Q5_0", 6, 32, 22},
        {"Q5_1", 7, 32, 24},    {"Q8_0", 8, 32, 34},    {"Q2_K", 10, 256, 84},
        {"Q3_K", 11, 256, 110}, {"Q4_K", 12, 256, 144}, {"Q5_K", 13, 256, 176},
        {"Q6_K", 14, 256, 210}};
    for (const Expected& e : expected) {
        SCOPED_TRACE(e.name);
        const auto type = dtype_from_ggml(e.number);
        ASSERT_TRUE(type.ok());
        EXPECT_EQ(to_string(*type), e.name);
        EXPECT_EQ(ggml_type(*type), e.number);
        EXPECT_EQ(block_elements(*type), e.elements);
        EXPECT_EQ(block_bytes(*type), e.bytes);
        EXPECT_EQ(row_bytes(*type, 3 * e.elements), 3 * e.bytes);
    }
}

TEST(DType, names_a_type_of_ggml_that_is_not_read) {
    const std::map<uint32_t, std::string> unread = {
        {9, "Q8_1"},   {15, "Q8_K"},   {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"},
        {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"},   {22, "IQ2_S"},  {23, "IQ4_XS"},
        {24, "I8"},    {25, "I16"},    {26, "I32"},     {27, "I64"},    {28, "F64"},
        {29, "IQ1_M"}, {34, "TQ1_0"},  {35, "TQ2_0"},   {39, "MXFP4"},  {40, "NVFP4"}};
    for (const auto& [number, name] : unread) {
        const auto type = dtype_from_ggml(number);
        ASSERT_FALSE(type.ok()) << number;
        EXPECT_EQ(type.error().code, Code::unsupported);
        EXPECT_EQ(
            type.error().message,
            "type " + name + " (" + std::to_string(number) +
                ") is not read here; these are: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, "
                "Q2_K, Q3_K, Q4_K, Q5_K, Q6_K");
    }
}

TEST(DType, calls_a_number_that_ggml_does_not_have_corrupt) {
    for (const uint32_t number : {42u, 1000u, 0xffffffffu}) {
        const auto type = dtype_from_ggml(number);
        ASSERT_FALSE(type.ok());
        EXPECT_EQ(type.error().code, Code::corrupt);
    }
}

TEST(DType, reads_the_float_types_of_safetensors) {
    EXPECT_EQ(*dtype_from_safetensors("F32"), DType::f32);
    EXPECT_EQ(*dtype_from_safetensors("F16"), DType::f16);
    EXPECT_EQ(*dtype_from_safetensors("BF16"), DType::bf16);
    EXPECT_EQ(dtype_from_safetensors("F8_E4M3").error().message,
              "type F8_E4M3 is not read here; F32, F16, BF16 are");
    EXPECT_FALSE(dtype_from_safetensors("Q4_0").ok());
}

}  // namespace
}  // namespace brigada
