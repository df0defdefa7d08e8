// The matmul kernels for AVX-512 with VNNI and BF16: the body of matmul_body.h, instantiated.
#include "kernels/avx512/simd.h"
#include "kernels/matmul_body.h"

namespace brigada::BRIGADA_AVX512 {

extern constinit const MatmulKernels kMatmulKernels =
    body::make_kernels<Vec>(body::multiply<Vec, body::FloatTiles<Vec, body::Bf16DotPanel<Vec>>>);

}  // namespace brigada::BRIGADA_AVX512
