// The AVX-512 kernels compiled over SIMDe, so that their source is proved on machines without
// AVX-512. In avx2/ because SIMDe's fused multiply-add is one rounding only with FMA. No tests
// here: nothing that other files also instantiate may be compiled with these flags.
#define BRIGADA_EMULATE_AVX512
#include "kernels/avx512/matmul_avx512.cc"
