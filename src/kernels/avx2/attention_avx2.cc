#include "kernels/attention_body.h"
#include "kernels/avx2/lanes.h"

namespace brigada::avx2 {

extern constinit const AttentionKernels kAttentionKernels = attention_body::make_kernels<Lanes>();

}  // namespace brigada::avx2
