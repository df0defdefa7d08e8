// The attention kernels for any x86-64 processor: the body of attention_body.h, instantiated.
#include "kernels/attention_body.h"
#include "kernels/portable/lanes.h"

namespace brigada::portable {

extern constinit const AttentionKernels kAttentionKernels = attention_body::make_kernels<Lanes>();

}  // namespace brigada::portable
