// The AVX-512 attention and elementwise kernels compiled over SIMDe, so that their source is proved
// on machines without AVX-512. In avx2/ because SIMDe's fused multiply-add is one rounding only
// with FMA. No tests here: nothing that other files also instantiate may be compiled with these
// flags.
#pragma clang diagnostic ignored "-Wpsabi"  // wide vectors pass between functions of this file only
#define BRIGADA_EMULATE_AVX512
#include "kernels/avx512/attention_avx512.cc"
#include "kernels/avx512/elementwise_avx512.cc"
