// The matmul kernels for any x86-64 processor: the body of matmul_body.h, instantiated.
#include "kernels/matmul_body.h"
#include "kernels/portable/simd.h"

namespace brigada::portable {

constinit const MatmulKernels kMatmulKernels = body::make_kernels<Vec>(nullptr);

}  // namespace brigada::portable
