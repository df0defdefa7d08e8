#include "kernels/matmul_kernels.h"

#include "base/check.h"

namespace brigada {

const MatmulKernels& matmul_kernels(Isa isa) {
    CHECK(isa <= best_isa(), to_string(isa), " on a machine that runs ", to_string(best_isa()));
    switch (isa) {
        case Isa::avx512:
            return avx512::kMatmulKernels;
        case Isa::avx2:
            return avx2::kMatmulKernels;
        case Isa::portable:
            break;
    }
    return portable::kMatmulKernels;
}

}  // namespace brigada
