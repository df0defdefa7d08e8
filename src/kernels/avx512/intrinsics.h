// The intrinsics of AVX-512, or, for the test program on machines without it, SIMDe's emulation of
// them plus the few that SIMDe 0.7.4 lacks. BRIGADA_EMULATE_AVX512 chooses, and BRIGADA_AVX512 names
// the namespace, so that both instances can live in one program.
#pragma once

#ifndef BRIGADA_EMULATE_AVX512

#include <immintrin.h>
#define BRIGADA_AVX512 avx512

#else

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define BRIGADA_AVX512 avx512_emulated

namespace brigada::avx512_emulated {

inline __m512 both_halves(__m256 low, __m256 high) {
    return simde_mm512_insertf32x8(simde_mm512_castps256_ps512(low), high, 1);
}
inline __m512i both_halves(__m256i low, __m256i high) {
    return simde_mm512_inserti32x8(simde_mm512_castsi256_si512(low), high, 1);
}
inline __m256i low_half(__m512i x) { return simde_mm512_castsi512_si256(x); }
inline __m256i high_half(__m512i x) { return simde_mm512_extracti32x8_epi32(x, 1); }

}  // namespace brigada::avx512_emulated

#endif
