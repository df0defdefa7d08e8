// MatmulKernels: what one instruction set offers to matmul, as a table of functions. A function
// works on one panel of weights; how panels and activations are cut up and spread over threads is
// matmul's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/cpu.h"
#include "kernels/weight_type.h"

namespace brigada {

/// 32 activations of one row, ready for integer dot products: x ~ scale * code, |code| <= 127.
/// One cache line, so that a kernel walks rows of these and nothing else. `scale` is NaN or
/// infinite where an activation is, so that what went wrong stays visible in the output.
struct alignas(64) ActivationGroup {
    int8_t codes[32];
    float scale;               // largest |x| / 127
    int32_t sum;               // of all codes
    float scaled_sum;          // scale * sum
    int32_t half_sum[2];       // of codes 0..15 and 16..31
    float scaled_half_sum[2];  // scale * half_sum
    float unused;
};
static_assert(sizeof(ActivationGroup) == 64);

/// The three arrays of a packed panel (kernels/panel.h) and its columns with padding.
struct PanelView {
    const std::byte* supers;
    const std::byte* scales;
    const std::byte* codes;
    size_t cols;
};

/// Some rows of activations times one panel:
///   acts  [m] rows, act_stride bytes apart: ActivationGroup per 32 columns, or float per column,
///   or
///         bf16 per column, as the kernel wants; padded columns are zero
///   out   [m] rows, out_stride floats apart, of `lanes` (1..16) floats; overwritten or added to
struct PanelTask {
    PanelView panel;
    const std::byte* acts;
    size_t act_stride;
    size_t m;
    float* out;
    size_t out_stride;
    size_t lanes;
    bool accumulate;
};

struct MatmulKernels {
    using Multiply = void (*)(const PanelTask& task);
    using Unpack = void (*)(const PanelView& panel, float* out);
    using Quantise = void (*)(const float* acts, size_t groups, ActivationGroup* out);

    /// By WeightType. Quantised types take ActivationGroups, float types take floats.
    Multiply multiply[kWeightTypes];
    /// bf16 weights with bf16 activations, or nullptr where no instruction does that.
    Multiply multiply_bf16_dot;
    /// By WeightType, quantised types only: a whole panel to an f32 panel, exactly.
    Unpack unpack[kWeightTypes];
    /// Quantises 32 * groups floats.
    Quantise quantise;
    /// A multiple of the rows a kernel keeps in registers: cut batches at multiples of it.
    size_t tile_rows;
};

/// CHECKs that this machine runs `isa`.
const MatmulKernels& matmul_kernels(Isa isa);

namespace portable {
extern const MatmulKernels kMatmulKernels;
}
namespace avx2 {
extern const MatmulKernels kMatmulKernels;
}
namespace avx512 {
extern const MatmulKernels kMatmulKernels;
}

}  // namespace brigada
