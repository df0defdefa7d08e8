#include "kernels/matmul_body.h"
#include "kernels/portable/simd.h"

namespace brigada::portable {

constinit const MatmulKernels kMatmulKernels = body::make_kernels<Vec>(nullptr);

}  // namespace brigada::portable
