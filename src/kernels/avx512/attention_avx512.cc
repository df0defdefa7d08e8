// The attention kernels for AVX-512 with VNNI and BF16: the body of attention_body.h, instantiated.
#include "kernels/attention_body.h"
#include "kernels/avx512/lanes.h"

namespace brigada::BRIGADA_AVX512 {

extern constinit const AttentionKernels kAttentionKernels = attention_body::make_kernels<Lanes>();

}  // namespace brigada::BRIGADA_AVX512
