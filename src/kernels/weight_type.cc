#include "kernels/weight_type.h"

namespace brigada {
namespace {

struct Row {
    std::string_view name;
    BlockShape block;
};

// In the order of WeightType. Source: block layouts of the GGUF specification.
constexpr Row kRows[] = {
    {"f32", {1, 4}},      {"f16", {1, 2}},      {"bf16", {1, 2}},     {"q4_0", {32, 18}},
    {"q4_1", {32, 20}},   {"q5_0", {32, 22}},   {"q5_1", {32, 24}},   {"q8_0", {32, 34}},
    {"q2_k", {256, 84}},  {"q3_k", {256, 110}}, {"q4_k", {256, 144}}, {"q5_k", {256, 176}},
    {"q6_k", {256, 210}},
};
static_assert(std::size(kRows) == kWeightTypes);

const Row& row_of(WeightType type) {
    const auto index = static_cast<size_t>(type);
    CHECK(index < kWeightTypes, "weight type ", index);
    return kRows[index];
}

}  // namespace

std::string_view to_string(WeightType type) {
    return row_of(type).name;
}

BlockShape block_shape(WeightType type) {
    return row_of(type).block;
}

Result<size_t> row_bytes(WeightType type, size_t cols) {
    const BlockShape block = block_shape(type);
    if (cols == 0 || cols % block.cols != 0)
        return Error{Code::unsupported, concat("a row of ", cols, " ", to_string(type),
                                               " weights; needs a multiple of ", block.cols)};
    size_t bytes = 0;
    if (__builtin_mul_overflow(cols / block.cols, block.bytes, &bytes))
        return Error{Code::too_large, concat("a row of ", cols, " ", to_string(type), " weights")};
    return bytes;
}

}  // namespace brigada
