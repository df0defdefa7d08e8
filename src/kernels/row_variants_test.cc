#include "kernels/row_variants.h"

#include "kernels/attention.h"
#include "kernels/elementwise.h"

namespace brigada {

namespace avx512_emulated {  // avx2/rows_avx512_emulated_test.cc
extern const AttentionKernels kAttentionKernels;
extern const ElementwiseKernels kElementwiseKernels;
}  // namespace avx512_emulated

std::vector<RowVariant> row_variants() {
    std::vector<RowVariant> variants;
    for (Isa isa : kAllIsas)
        if (isa <= best_isa())
            variants.push_back({to_string(isa), &attention_kernels(isa), &elementwise_kernels(isa),
                                isa != Isa::portable});
    if (best_isa() >= Isa::avx2)
        variants.push_back({"emulated avx512", &avx512_emulated::kAttentionKernels,
                            &avx512_emulated::kElementwiseKernels, true});
    return variants;
}

}  // namespace brigada
