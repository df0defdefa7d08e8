#include "model/dtype.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "model/test_files.h"

namespace brigada {
namespace {

/// What the PyPI package gguf says of them.
TEST(DType, has_the_numbers_and_sizes_that_ggml_has) {
    std::ifstream table(Path(BRIGADA_TESTDATA) / "quants/sizes.csv");
    std::string line;
    std::getline(table, line);
    size_t types = 0;
    for (; std::getline(table, line); ++types) {
        SCOPED_TRACE(line);
        std::istringstream cells(line);
        std::string name;
        std::getline(cells, name, ',');
        uint32_t number = 0;
        size_t elements = 0, bytes = 0;
        char comma = 0;
        cells >> number >> comma >> elements >> comma >> bytes;
        const auto type = dtype_from_ggml(number);
        ASSERT_TRUE(type.ok());
        EXPECT_EQ(to_string(*type), name);
        EXPECT_EQ(ggml_type(*type), number);
        EXPECT_EQ(block_elements(*type), elements);
        EXPECT_EQ(block_bytes(*type), bytes);
        EXPECT_EQ(row_bytes(*type, 3 * elements), 3 * bytes);
    }
    EXPECT_EQ(types, kAllDTypes.size());
}

TEST(DType, names_a_type_that_no_file_has) {
    const std::map<uint32_t, std::string> absent = {
        {4, "Q4_2"}, {9, "Q8_1"}, {15, "Q8_K"}, {31, "Q4_0_4_4"}, {38, "IQ4_NL_8_8"}};
    for (const auto& [number, name] : absent) {
        const auto type = dtype_from_ggml(number);
        ASSERT_FALSE(type.ok()) << number;
        EXPECT_EQ(type.error().code, Code::unsupported);
        EXPECT_TRUE(type.error().message.starts_with(
            "type " + name + " (" + std::to_string(number) +
            ") is in no file of today; these may be: F32, F16, BF16, Q4_0,"))
            << type.error().message;
    }
}

TEST(DType, of_some_only_the_size_is_known) {
    size_t read = 0;
    for (const DType type : kAllDTypes) {
        EXPECT_EQ(check_is_read(type).ok(), is_read(type));
        read += is_read(type) ? 1 : 0;
    }
    EXPECT_EQ(read, kReadDTypes.size());
    EXPECT_TRUE(is_read(DType::q6_k));
    EXPECT_EQ(check_is_read(DType::mxfp4).error().message,
              "type MXFP4 does not run here, a GPU can be planned for it; these run: F32, F16, "
              "BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K");
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
