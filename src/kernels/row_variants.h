// The attention and elementwise kernels a test runs over: those of every instruction set here, and
// AVX-512 emulated by SIMDe, so that its source is tested everywhere. For tests only.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/attention_kernels.h"
#include "kernels/elementwise_kernels.h"

namespace brigada {

struct RowVariant {
    std::string_view name;
    const AttentionKernels* attention;
    const ElementwiseKernels* elementwise;
    bool fused;  // multiply-adds round once; all fused variants give equal bits
};

std::vector<RowVariant> row_variants();

}  // namespace brigada
