// DType: how the numbers of a tensor are stored. A row is a run of whole blocks; a float type is a
// block of one. The layouts are those of the GGUF specification.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace brigada {

enum class DType : uint8_t {
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

/// Every DType, in the order of the enumeration.
inline constexpr std::array kAllDTypes = {
    DType::f32,  DType::f16,  DType::bf16, DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1,
    DType::q8_0, DType::q2_k, DType::q3_k, DType::q4_k, DType::q5_k, DType::q6_k};

/// Numbers per block: 1, 32 or 256.
size_t block_elements(DType type);

/// Bytes per block.
size_t block_bytes(DType type);

/// Bytes of a row of `cols` numbers. CHECKs that `cols` is a whole number of blocks and that the
/// product fits.
size_t row_bytes(DType type, size_t cols);

/// The name in GGUF's spelling: "F32", "Q4_K".
std::string_view to_string(DType type);

/// The number GGUF files write for this type.
uint32_t ggml_type(DType type);

/// From GGUF's number. Error::unsupported names a type of ggml that this build cannot read,
/// Error::corrupt a number that ggml does not know.
Result<DType> dtype_from_ggml(uint32_t number);

/// From safetensors' spelling, "F32", "F16" or "BF16". Error::unsupported names any other.
Result<DType> dtype_from_safetensors(std::string_view name);

}  // namespace brigada
