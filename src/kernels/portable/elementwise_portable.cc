// The elementwise kernels for any x86-64 processor: the body of elementwise_body.h, instantiated.
#include "kernels/elementwise_body.h"
#include "kernels/portable/lanes.h"

namespace brigada::portable {

extern constinit const ElementwiseKernels kElementwiseKernels =
    elementwise_body::make_kernels<Lanes>();

}  // namespace brigada::portable
