// Vec for AVX-512 with VNNI and BF16: sixteen lanes, a whole panel. vpdpbusd adds four products of
// unsigned codes and signed activations to 32 bits, without saturating.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/avx512/intrinsics.h"

namespace brigada::BRIGADA_AVX512 {

#define BRIGADA_VEC [[gnu::always_inline]] static inline

struct Vec {
    static constexpr size_t kLanes = 16;
    static constexpr size_t kQuantRows = 8, kQuantVectors = 1, kFloatRows = 8;

    using F32 = __m512;
    using I32 = __m512i;
    using Bytes = __m512i;

    BRIGADA_VEC F32 zero() { return _mm512_setzero_ps(); }
    BRIGADA_VEC F32 broadcast(const float& x) { return _mm512_set1_ps(x); }
    BRIGADA_VEC F32 broadcast_at(const std::byte* at) {
        return broadcast(*reinterpret_cast<const float*>(at));
    }
    BRIGADA_VEC F32 load(const float* at) { return _mm512_loadu_ps(at); }
    BRIGADA_VEC void store(float* at, F32 x) { _mm512_storeu_ps(at, x); }

    BRIGADA_VEC F32 add(F32 a, F32 b) { return _mm512_add_ps(a, b); }
    BRIGADA_VEC F32 sub(F32 a, F32 b) { return _mm512_sub_ps(a, b); }
    BRIGADA_VEC F32 mul(F32 a, F32 b) { return _mm512_mul_ps(a, b); }
    BRIGADA_VEC F32 fma(F32 a, F32 b, F32 c) { return _mm512_fmadd_ps(a, b, c); }

    BRIGADA_VEC F32 load_f16(const std::byte* at) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
    }
    BRIGADA_VEC F32 load_u8(const std::byte* at) {
        return to_float(
            _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))));
    }
    BRIGADA_VEC F32 load_i8(const std::byte* at) {
        return to_float(
            _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))));
    }
    BRIGADA_VEC F32 even_bf16(Bytes pairs) {
        return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
    }
    BRIGADA_VEC F32 odd_bf16(Bytes pairs) {
        const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
        return _mm512_castsi512_ps(_mm512_and_si512(pairs, upper));
    }
    BRIGADA_VEC F32 to_float(I32 x) { return _mm512_cvtepi32_ps(x); }

    BRIGADA_VEC Bytes load_bytes(const std::byte* at) { return _mm512_loadu_si512(at); }
    BRIGADA_VEC Bytes broadcast_bytes(const void* at) {
        return _mm512_castps_si512(broadcast(*static_cast<const float*>(at)));
    }
    BRIGADA_VEC Bytes low_nibbles(Bytes x) { return _mm512_and_si512(x, _mm512_set1_epi8(15)); }
    BRIGADA_VEC Bytes high_nibbles(Bytes x) {
        return _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(15));
    }
    BRIGADA_VEC I32 byte_of(Bytes x, size_t index) {
        const __m512i shift = _mm512_set1_epi32(static_cast<int>(8 * index));
        return _mm512_and_si512(_mm512_srlv_epi32(x, shift), _mm512_set1_epi32(255));
    }

    /// Adds both products of a pair of bfloat16 to `sum`.
    BRIGADA_VEC F32 dot_bf16(Bytes weights, Bytes acts, F32 sum) {
        return _mm512_dpbf16_ps(sum, as_bf16(weights), as_bf16(acts));
    }

    BRIGADA_VEC I32 magnitude_bits(F32 x) {
        return _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
    }
    BRIGADA_VEC I32 max(I32 a, I32 b) { return _mm512_max_epi32(a, b); }
    BRIGADA_VEC int32_t reduce_max(I32 x) {
        __m256i eight =
            _mm256_max_epi32(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
        __m128i four =
            _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
        four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
        return _mm_cvtsi128_si32(_mm_max_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
    }
    BRIGADA_VEC int32_t reduce_add(I32 x) {
        __m256i eight =
            _mm256_add_epi32(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
        __m128i four =
            _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
        four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
        return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
    }

    /// To the nearest integer, ties to even.
    BRIGADA_VEC I32 round(F32 x) { return _mm512_cvtps_epi32(x); }
    BRIGADA_VEC void store_codes(int8_t* at, I32 x) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm512_cvtsepi32_epi8(x));
    }

    /// Asks for the lines of `bytes` bytes, 4 KiB ahead of `at`. Beyond the end it asks in vain.
    BRIGADA_VEC void prefetch(const std::byte* at, size_t bytes) {
        for (size_t line = 0; line < bytes; line += 64)
            _mm_prefetch(reinterpret_cast<const char*>(at) + 4096 + line, _MM_HINT_T0);
    }

    /// Sums of unsigned codes times signed activations, four per lane and step; the offset comes
    /// off at the end, as offset * (sum of the activations).
    template <int kMaxCode, int kOffset, size_t kSteps>
    class Dot {
      public:
        [[gnu::always_inline]] inline void add(Bytes codes, Bytes acts, size_t step) {
            sum_ = _mm512_dpbusd_epi32(step == 0 ? _mm512_setzero_si512() : sum_, codes, acts);
        }
        [[gnu::always_inline]] inline I32 total(const int32_t& act_sum) const {
            if constexpr (kOffset == 0) return sum_;
            return _mm512_sub_epi32(sum_, _mm512_set1_epi32(kOffset * act_sum));
        }

      private:
        __m512i sum_;
    };

  private:
    BRIGADA_VEC __m512bh as_bf16(__m512i bits) { return __builtin_bit_cast(__m512bh, bits); }
};

#undef BRIGADA_VEC

}  // namespace brigada::BRIGADA_AVX512
