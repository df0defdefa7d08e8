// Lanes for AVX2: two registers of eight floats. What the members mean: portable/lanes.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/number_types.h"

namespace brigada::avx2 {

struct Lanes {
    static constexpr size_t kCount = 16;
    static constexpr int kAccumulators = 6;  // 12 of 16 registers; two for a vector, two spare

    struct V {
        __m256 low, high;
    };
    struct Mask {
        __m256 low, high;
    };

    static V set(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
    static V load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
    static V load(const Half* p) {
        return {_mm256_cvtph_ps(load_8(p)), _mm256_cvtph_ps(load_8(p + 8))};
    }
    static V load(const Bfloat* p) { return {widen(load_8(p)), widen(load_8(p + 8))}; }
    static V load_first(const float* p, size_t n) {
        const Mask mask = lanes_in(0, static_cast<int>(n));
        return {_mm256_maskload_ps(p, _mm256_castps_si256(mask.low)),
                _mm256_maskload_ps(p + 8, _mm256_castps_si256(mask.high))};
    }

    static void store(float* p, V a) {
        _mm256_storeu_ps(p, a.low);
        _mm256_storeu_ps(p + 8, a.high);
    }
    static void store(Half* p, V a) {
        store_8(p, to_half(a.low));
        store_8(p + 8, to_half(a.high));
    }
    static void store(Bfloat* p, V a) {
        // Packing works within 128-bit halves: put quarters 0, 2, 1, 3 in order.
        const __m256i packed = _mm256_packus_epi32(to_bfloat(a.low), to_bfloat(a.high));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(packed, 0xd8));
    }
    static void store_first(float* p, V a, size_t n) {
        const Mask mask = lanes_in(0, static_cast<int>(n));
        _mm256_maskstore_ps(p, _mm256_castps_si256(mask.low), a.low);
        _mm256_maskstore_ps(p + 8, _mm256_castps_si256(mask.high), a.high);
    }

    static V add(V a, V b) { return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)}; }
    static V sub(V a, V b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
    static V mul(V a, V b) { return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)}; }
    static V div(V a, V b) { return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)}; }
    static V fma(V a, V b, V c) {
        return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
    }
    static V max(V a, V b) { return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)}; }
    static V min(V a, V b) { return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)}; }

    static Mask lanes_in(int first, int end) {
        const __m256i low = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i high = _mm256_add_epi32(low, _mm256_set1_epi32(8));
        return {inside(low, first, end), inside(high, first, end)};
    }
    static Mask less(V a, V b) {
        return {_mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)};
    }
    static V select(Mask mask, V yes, V no) {
        return {_mm256_blendv_ps(no.low, yes.low, mask.low),
                _mm256_blendv_ps(no.high, yes.high, mask.high)};
    }

    static V scale_by_power(V a, V n) {
        return {_mm256_mul_ps(a.low, power(n.low)), _mm256_mul_ps(a.high, power(n.high))};
    }

    static float sum(V a) {
        const __m256 eight = _mm256_add_ps(a.low, a.high);
        const __m128 four =
            _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }
    static float greatest(V a) {
        const __m256 eight = _mm256_max_ps(a.low, a.high);
        const __m128 four =
            _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
    }

    static void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }

  private:
    static __m128i load_8(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
    static void store_8(void* p, __m128i bits) { _mm_storeu_si128(static_cast<__m128i*>(p), bits); }
    static __m256 widen(__m128i bfloats) {
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bfloats), 16));
    }
    static __m128i to_half(__m256 a) {
        const __m256 greatest = _mm256_set1_ps(65504);
        const __m256 above = _mm256_max_ps(_mm256_sub_ps(_mm256_setzero_ps(), greatest), a);
        return _mm256_cvtps_ph(_mm256_min_ps(greatest, above),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    /// Round to nearest even in the upper 16 bits, moved down; a NaN keeps its upper bits and is
    /// quiet.
    static __m256i to_bfloat(__m256 a) {
        const __m256i bits = _mm256_castps_si256(a);
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
        const __m256i rounded =
            _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
        const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
        const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
        return _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
    }
    static __m256 inside(__m256i lane, int first, int end) {
        const __m256i not_before = _mm256_cmpgt_epi32(_mm256_set1_epi32(first), lane);
        const __m256i before_end = _mm256_cmpgt_epi32(_mm256_set1_epi32(end), lane);
        return _mm256_castsi256_ps(_mm256_andnot_si256(not_before, before_end));
    }
    static __m256 power(__m256 n) {
        const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
    }
};

}  // namespace brigada::avx2
