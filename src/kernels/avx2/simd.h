// Vec for AVX2, FMA and F16C: eight lanes. There is no unsigned-by-signed dot product to 32 bits
// here; Dot builds it from vpmaddubsw, whose 16-bit pair sums must never saturate.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace brigada::avx2 {

#define BRIGADA_VEC [[gnu::always_inline]] static inline

struct Vec {
    static constexpr size_t kLanes = 8;
    static constexpr size_t kQuantRows = 4, kQuantVectors = 1, kFloatRows = 4;

    using F32 = __m256;
    using I32 = __m256i;
    using Bytes = __m256i;

    BRIGADA_VEC F32 zero() { return _mm256_setzero_ps(); }
    BRIGADA_VEC F32 broadcast(const float& x) { return _mm256_broadcast_ss(&x); }
    BRIGADA_VEC F32 broadcast_at(const std::byte* at) {
        return _mm256_broadcast_ss(reinterpret_cast<const float*>(at));
    }
    BRIGADA_VEC F32 load(const float* at) { return _mm256_loadu_ps(at); }
    BRIGADA_VEC void store(float* at, F32 x) { _mm256_storeu_ps(at, x); }

    BRIGADA_VEC F32 add(F32 a, F32 b) { return _mm256_add_ps(a, b); }
    BRIGADA_VEC F32 sub(F32 a, F32 b) { return _mm256_sub_ps(a, b); }
    BRIGADA_VEC F32 mul(F32 a, F32 b) { return _mm256_mul_ps(a, b); }
    BRIGADA_VEC F32 fma(F32 a, F32 b, F32 c) { return _mm256_fmadd_ps(a, b, c); }

    BRIGADA_VEC F32 load_f16(const std::byte* at) {
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    }
    BRIGADA_VEC F32 load_u8(const std::byte* at) {
        return to_float(
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))));
    }
    BRIGADA_VEC F32 load_i8(const std::byte* at) {
        return to_float(
            _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))));
    }
    BRIGADA_VEC F32 even_bf16(Bytes pairs) {
        return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
    }
    BRIGADA_VEC F32 odd_bf16(Bytes pairs) {
        const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
        return _mm256_castsi256_ps(_mm256_and_si256(pairs, upper));
    }
    BRIGADA_VEC F32 to_float(I32 x) { return _mm256_cvtepi32_ps(x); }

    BRIGADA_VEC Bytes load_bytes(const std::byte* at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    }
    BRIGADA_VEC Bytes broadcast_bytes(const void* at) {
        return _mm256_castps_si256(_mm256_broadcast_ss(static_cast<const float*>(at)));
    }
    BRIGADA_VEC Bytes low_nibbles(Bytes x) { return _mm256_and_si256(x, _mm256_set1_epi8(15)); }
    BRIGADA_VEC Bytes high_nibbles(Bytes x) {
        return _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
    }
    BRIGADA_VEC I32 byte_of(Bytes x, size_t index) {
        const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(8 * index));
        return _mm256_and_si256(_mm256_srl_epi32(x, shift), _mm256_set1_epi32(255));
    }

    BRIGADA_VEC I32 magnitude_bits(F32 x) {
        return _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff));
    }
    BRIGADA_VEC I32 max(I32 a, I32 b) { return _mm256_max_epi32(a, b); }
    BRIGADA_VEC int32_t reduce_max(I32 x) {
        __m128i half = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4e));
        return _mm_cvtsi128_si32(_mm_max_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
    }
    BRIGADA_VEC int32_t reduce_add(I32 x) {
        __m128i half = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
        return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
    }

    /// To the nearest integer, ties to even.
    BRIGADA_VEC I32 round(F32 x) { return _mm256_cvtps_epi32(x); }
    BRIGADA_VEC void store_codes(int8_t* at, I32 x) {
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(at), _mm_packs_epi16(words, words));
    }

    /// Asks for the lines of `bytes` bytes, 2 KiB ahead of `at`. Beyond the end it asks in vain.
    BRIGADA_VEC void prefetch(const std::byte* at, size_t bytes) {
        for (size_t line = 0; line < bytes; line += 64)
            _mm_prefetch(reinterpret_cast<const char*>(at) + 2048 + line, _MM_HINT_T0);
    }

    /// Sums of unsigned codes times signed activations, four per lane and step; the offset comes
    /// off at the end, as offset * (sum of the activations). vpmaddubsw adds pairs: at most 2 * 127
    /// * kMaxCode, so kRun of them fit 16 bits: 15 -> 8, 31 -> 4, 63 -> 2.
    template <int kMaxCode, int kOffset, size_t kSteps>
    class Dot {
        static constexpr size_t kFit = 32767 / (2 * 127 * kMaxCode);
        static constexpr size_t kRun = kFit >= kSteps ? kSteps : kFit >= 4 ? 4 : 2;
        static_assert(kFit >= 2);

      public:
        [[gnu::always_inline]] inline void add(Bytes codes, Bytes acts, size_t step) {
            const __m256i pairs = _mm256_maddubs_epi16(codes, acts);
            narrow_ = step % kRun == 0 ? pairs : _mm256_add_epi16(narrow_, pairs);
            if (step % kRun != kRun - 1) return;
            const __m256i sums = _mm256_madd_epi16(narrow_, _mm256_set1_epi16(1));
            wide_ = step < kRun ? sums : _mm256_add_epi32(wide_, sums);
        }
        /// The sum of 32 codes fits 16 bits, so its product with the offset is one vpmaddwd.
        [[gnu::always_inline]] inline I32 total(const int32_t& act_sum) const {
            if constexpr (kOffset == 0) return wide_;
            const __m256i sum = broadcast_bytes(&act_sum);
            return _mm256_sub_epi32(wide_, _mm256_madd_epi16(sum, _mm256_set1_epi32(kOffset)));
        }

      private:
        __m256i narrow_;
        __m256i wide_;
    };

    /// Codes of eight bits would saturate: multiply |w| <= 128 by a with the sign of w instead, at
    /// most 2 * 128 * 127 = 32,512 a pair, and the offset is off from the start.
    template <size_t kSteps>
    class Dot<255, 128, kSteps> {
      public:
        [[gnu::always_inline]] inline void add(Bytes codes, Bytes acts, size_t step) {
            const __m256i weights = _mm256_xor_si256(codes, _mm256_set1_epi8(-128));
            const __m256i pairs =
                _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(acts, weights));
            const __m256i sums = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
            sum_ = step == 0 ? sums : _mm256_add_epi32(sum_, sums);
        }
        [[gnu::always_inline]] inline I32 total(const int32_t&) const { return sum_; }

      private:
        __m256i sum_;
    };
};

#undef BRIGADA_VEC

}  // namespace brigada::avx2
