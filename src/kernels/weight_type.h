// WeightType: the formats in which files store weights, and how many bytes their blocks take. The
// kernels know nothing of GGUF or safetensors beyond this; the engine maps a file's types to these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace brigada {

enum class WeightType : uint8_t {
    f32,
    f16,
    bf16,
    q4_0,
    q4_1,
    q5_0,
    q5_1,
    q8_0,
    q2_k,
    q3_k,
    q4_k,
    q5_k,
    q6_k,
};

inline constexpr WeightType kAllWeightTypes[] = {
    WeightType::f32,  WeightType::f16,  WeightType::bf16, WeightType::q4_0, WeightType::q4_1,
    WeightType::q5_0, WeightType::q5_1, WeightType::q8_0, WeightType::q2_k, WeightType::q3_k,
    WeightType::q4_k, WeightType::q5_k, WeightType::q6_k};
inline constexpr size_t kWeightTypes = std::size(kAllWeightTypes);

/// "q4_0"; GGUF's own name in lower case.
std::string_view to_string(WeightType type);

/// A block is the smallest run of columns a file can store: `cols` weights in `bytes` bytes.
struct BlockShape {
    size_t cols;
    size_t bytes;
};
BlockShape block_shape(WeightType type);

constexpr bool is_quantised(WeightType type) {
    return type >= WeightType::q4_0;
}

/// Bytes of one row of `cols` weights. Error::unsupported when cols is 0 or no multiple of the
/// block, Error::too_large when the bytes do not fit a size_t.
Result<size_t> row_bytes(WeightType type, size_t cols);

}  // namespace brigada
