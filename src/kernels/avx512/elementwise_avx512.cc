// The elementwise kernels for AVX-512: the body of elementwise_body.h, instantiated.
#include "kernels/avx512/lanes.h"
#include "kernels/elementwise_body.h"

namespace brigada::BRIGADA_AVX512 {

extern constinit const ElementwiseKernels kElementwiseKernels =
    elementwise_body::make_kernels<Lanes>();

}  // namespace brigada::BRIGADA_AVX512
