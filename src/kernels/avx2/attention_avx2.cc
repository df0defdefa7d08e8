// The attention kernels for AVX2 with FMA and F16C: the body of attention_body.h, instantiated.
#include "kernels/attention_body.h"
#include "kernels/avx2/lanes.h"

namespace brigada::avx2 {

extern constinit const AttentionKernels kAttentionKernels = attention_body::make_kernels<Lanes>();

}  // namespace brigada::avx2
