// Lanes for AVX-512: one register of sixteen floats. What the members mean: portable/lanes.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/avx512/intrinsics.h"
#include "kernels/number_types.h"

namespace brigada::BRIGADA_AVX512 {

struct Lanes {
    static constexpr size_t kCount = 16;
    static constexpr int kAccumulators = 12;  // of 32 registers

    using V = __m512;
    using Mask = __mmask16;

    static V set(float x) { return _mm512_set1_ps(x); }
    static V load(const float* p) { return _mm512_loadu_ps(p); }
    static V load(const Half* p) { return _mm512_cvtph_ps(load_16(p)); }
    static V load(const Bfloat* p) {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load_16(p)), 16));
    }
    static V load_first(const float* p, size_t n) {
        return _mm512_maskz_loadu_ps(lanes_in(0, static_cast<int>(n)), p);
    }

    static void store(float* p, V a) { _mm512_storeu_ps(p, a); }
    static void store(Half* p, V a) {
        const V greatest = set(65504);
        const V clamped = min(greatest, max(sub(set(0), greatest), a));
        store_16(p, _mm512_cvtps_ph(clamped, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
    /// In whole numbers: vcvtneps2bf16 would flush subnormals.
    static void store(Bfloat* p, V a) {
        const __m512i bits = _mm512_castps_si512(a);
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
        const __m512i rounded =
            _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
        const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
        const __m512i chosen =
            _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), rounded, quiet);
        store_16(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(chosen, 16)));
    }
    static void store_first(float* p, V a, size_t n) {
        _mm512_mask_storeu_ps(p, lanes_in(0, static_cast<int>(n)), a);
    }

    static V add(V a, V b) { return _mm512_add_ps(a, b); }
    static V sub(V a, V b) { return _mm512_sub_ps(a, b); }
    static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
    static V div(V a, V b) { return _mm512_div_ps(a, b); }
    static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
    static V max(V a, V b) { return _mm512_max_ps(a, b); }
    static V min(V a, V b) { return _mm512_min_ps(a, b); }

    static Mask lanes_in(int first, int end) {
        return static_cast<Mask>(below(end) & ~below(first));
    }
    static Mask less(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
    static V select(Mask mask, V yes, V no) { return _mm512_mask_blend_ps(mask, no, yes); }

    static V scale_by_power(V a, V n) {
        const __m512i exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
        return mul(a, _mm512_castsi512_ps(_mm512_slli_epi32(exponent, 23)));
    }

    static float sum(V a) {
        const __m256 eight = _mm256_add_ps(low(a), high(a));
        const __m128 four =
            _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }
    static float greatest(V a) {
        const __m256 eight = _mm256_max_ps(low(a), high(a));
        const __m128 four =
            _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
    }

    static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }

  private:
    static __m256i load_16(const void* p) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(p));
    }
    static void store_16(void* p, __m256i bits) {
        _mm256_storeu_si256(static_cast<__m256i*>(p), bits);
    }
    static __m256 low(V a) { return _mm512_castps512_ps256(a); }
    static __m256 high(V a) { return _mm512_extractf32x8_ps(a, 1); }
    /// Bits 0..end-1 of sixteen.
    static uint32_t below(int end) { return end <= 0 ? 0 : end >= 16 ? 0xffffu : (1u << end) - 1; }
};

}  // namespace brigada::BRIGADA_AVX512
