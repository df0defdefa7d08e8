// The matmul kernels for AVX2 with FMA and F16C: the body of matmul_body.h, instantiated.
#include "kernels/avx2/simd.h"
#include "kernels/matmul_body.h"

namespace brigada::avx2 {

constinit const MatmulKernels kMatmulKernels = body::make_kernels<Vec>(nullptr);

}  // namespace brigada::avx2
