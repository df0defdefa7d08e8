// DType: how the numbers of a tensor are stored. A row is a run of whole blocks; a float type is a
// block of one. The layouts are those of the GGUF specification. Of some types only the sizes are
// known: enough to plan a machine for the model, not to run it here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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
    // Of these only the sizes are known.
    iq1_s,
    iq1_m,
    iq2_xxs,
    iq2_xs,
    iq2_s,
    iq3_xxs,
    iq3_s,
    iq4_nl,
    iq4_xs,
    tq1_0,
    tq2_0,
    q1_0,
    mxfp4,
    nvfp4,
    i8,
    i16,
    i32,
    i64,
    f64,
};

/// Every DType, in the order of the enumeration.
inline constexpr std::array kAllDTypes = {
    DType::f32,     DType::f16,   DType::bf16,   DType::q4_0,    DType::q4_1,   DType::q5_0,
    DType::q5_1,    DType::q8_0,  DType::q2_k,   DType::q3_k,    DType::q4_k,   DType::q5_k,
    DType::q6_k,    DType::iq1_s, DType::iq1_m,  DType::iq2_xxs, DType::iq2_xs, DType::iq2_s,
    DType::iq3_xxs, DType::iq3_s, DType::iq4_nl, DType::iq4_xs,  DType::tq1_0,  DType::tq2_0,
    DType::q1_0,    DType::mxfp4, DType::nvfp4,  DType::i8,      DType::i16,    DType::i32,
    DType::i64,     DType::f64};

/// Those whose numbers can be read, and so computed with: the first of them.
inline constexpr std::span kReadDTypes = std::span(kAllDTypes).first<13>();

constexpr bool is_read(DType type) {
    return static_cast<size_t>(type) < kReadDTypes.size();
}

/// Numbers per block: 1, 32, 64, 128 or 256.
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

/// From GGUF's number. Error::unsupported names a type of ggml that no file has any more,
/// Error::corrupt a number that ggml does not know.
Result<DType> dtype_from_ggml(uint32_t number);

/// Error::unsupported: not is_read, and which types are.
Result<void> check_is_read(DType type);

/// From safetensors' spelling, "F32", "F16" or "BF16". Error::unsupported names any other.
Result<DType> dtype_from_safetensors(std::string_view name);

}  // namespace brigada
