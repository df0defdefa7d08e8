#include "kernels/avx2/lanes.h"
#include "kernels/elementwise_body.h"

namespace brigada::avx2 {

extern constinit const ElementwiseKernels kElementwiseKernels =
    elementwise_body::make_kernels<Lanes>();

}  // namespace brigada::avx2
