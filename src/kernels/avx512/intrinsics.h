// The intrinsics of AVX-512, or, for the test program on machines without it, SIMDe's emulation of
// them plus the few that SIMDe 0.7.4 lacks. BRIGADA_EMULATE_AVX512 chooses, and BRIGADA_AVX512
// names the namespace, so that both instances can live in one program.
#pragma once

#ifndef BRIGADA_EMULATE_AVX512

#include <immintrin.h>
#define BRIGADA_AVX512 avx512

#else

// Vectors wider than the build's registers pass between functions of one file only.
#pragma clang diagnostic ignored "-Wpsabi"

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define BRIGADA_AVX512 avx512_emulated

namespace brigada::avx512_emulated {

inline __m512 join(__m256 low, __m256 high) {
    return simde_mm512_insertf32x8(simde_mm512_castps256_ps512(low), high, 1);
}
inline __m512i join(__m256i low, __m256i high) {
    return simde_mm512_inserti32x8(simde_mm512_castsi256_si512(low), high, 1);
}

inline __m512 f16_to_floats(__m256i x) {
    return join(_mm256_cvtph_ps(_mm256_castsi256_si128(x)),
                _mm256_cvtph_ps(_mm256_extracti128_si256(x, 1)));
}
inline __m512i widen_unsigned(__m128i x) {
    return join(_mm256_cvtepu8_epi32(x), _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8)));
}
inline __m512i widen_signed(__m128i x) {
    return join(_mm256_cvtepi8_epi32(x), _mm256_cvtepi8_epi32(_mm_srli_si128(x, 8)));
}
inline __m512 ints_to_floats(__m512i x) {
    return join(_mm256_cvtepi32_ps(simde_mm512_castsi512_si256(x)),
                _mm256_cvtepi32_ps(simde_mm512_extracti64x4_epi64(x, 1)));
}
inline __m512i floats_to_ints(__m512 x) {
    const __m512i bits = simde_mm512_castps_si512(x);
    const __m256i high = simde_mm512_extracti64x4_epi64(bits, 1);
    return join(_mm256_cvtps_epi32(_mm256_castsi256_ps(simde_mm512_castsi512_si256(bits))),
                _mm256_cvtps_epi32(_mm256_castsi256_ps(high)));
}

inline __m512i widen_unsigned(__m256i x) {
    return join(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(x)),
                _mm256_cvtepu16_epi32(_mm256_extracti128_si256(x, 1)));
}
inline __m256 upper_half(__m512 x) {
    const __m512i bits = simde_mm512_castps_si512(x);
    return _mm256_castsi256_ps(simde_mm512_extracti64x4_epi64(bits, 1));
}
inline __m256i floats_to_f16(__m512 x) {
    const __m128i low = _mm256_cvtps_ph(simde_mm512_castps512_ps256(x), _MM_FROUND_TO_NEAREST_INT);
    const __m128i high = _mm256_cvtps_ph(upper_half(x), _MM_FROUND_TO_NEAREST_INT);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
inline __m256i lower_shorts(__m512i x) {
    int lanes[16];
    short shorts[16];
    simde_mm512_storeu_si512(lanes, x);
    for (int i = 0; i < 16; ++i)
        shorts[i] = static_cast<short>(lanes[i]);
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(shorts));
}
inline __m512 load_some(unsigned mask, const float* p) {
    float lanes[16] = {};
    for (int i = 0; i < 16; ++i)
        if (mask >> i & 1) lanes[i] = p[i];
    return simde_mm512_loadu_ps(lanes);
}
inline void store_some(float* p, unsigned mask, __m512 x) {
    float lanes[16];
    simde_mm512_storeu_ps(lanes, x);
    for (int i = 0; i < 16; ++i)
        if (mask >> i & 1) p[i] = lanes[i];
}

}  // namespace brigada::avx512_emulated

#define _mm512_cvtph_ps(x) ::brigada::avx512_emulated::f16_to_floats(x)
#define _mm512_cvtepu8_epi32(x) ::brigada::avx512_emulated::widen_unsigned(x)
#define _mm512_cvtepi8_epi32(x) ::brigada::avx512_emulated::widen_signed(x)
#define _mm512_cvtepi32_ps(x) ::brigada::avx512_emulated::ints_to_floats(x)
#define _mm512_cvtps_epi32(x) ::brigada::avx512_emulated::floats_to_ints(x)
#define _mm512_cvtepu16_epi32(x) ::brigada::avx512_emulated::widen_unsigned(x)
#undef _mm512_extractf32x8_ps
#define _mm512_extractf32x8_ps(x, half) ::brigada::avx512_emulated::upper_half(x)
#undef _mm512_cvtps_ph
#define _mm512_cvtps_ph(x, nearest) ::brigada::avx512_emulated::floats_to_f16(x)
#define _mm512_cvtepi32_epi16(x) ::brigada::avx512_emulated::lower_shorts(x)
#define _mm512_maskz_loadu_ps(mask, p) ::brigada::avx512_emulated::load_some(mask, p)
#define _mm512_mask_storeu_ps(p, mask, x) ::brigada::avx512_emulated::store_some(p, mask, x)

#endif
