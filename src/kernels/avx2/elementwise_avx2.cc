// The elementwise kernels for AVX2 with FMA and F16C: the body of elementwise_body.h, instantiated.
#include "kernels/avx2/lanes.h"
#include "kernels/elementwise_body.h"

namespace brigada::avx2 {

extern constinit const ElementwiseKernels kElementwiseKernels =
    elementwise_body::make_kernels<Lanes>();

}  // namespace brigada::avx2
