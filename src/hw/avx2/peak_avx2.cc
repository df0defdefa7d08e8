// The loops of peak.h for AVX2 with FMA and F16C.
#include <immintrin.h>

#include "hw/peak.h"

namespace brigada::avx2 {
namespace {

constexpr int kRegisters = 12;  // two per cycle of five cycles' latency need ten

double float32_loop(size_t rounds, float* sink) {
    const __m256 half = _mm256_set1_ps(0.5f);
    __m256 sums[kRegisters] = {};
    for (size_t i = 0; i < rounds; ++i)
        for (__m256& sum : sums)
            sum = _mm256_fmadd_ps(sum, half, half);
    for (const __m256& sum : sums)
        *sink += _mm256_cvtss_f32(sum);
    return static_cast<double>(rounds) * kRegisters * 16;
}

double int8_loop(size_t rounds, float* sink) {
    __m256i codes = _mm256_set1_epi8(3);
    const __m256i acts = _mm256_set1_epi8(5);
    __m256i sums[kRegisters] = {};
    for (size_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)  // the assembly would keep it a loop over memory
        for (__m256i& sum : sums) {
            __asm__ volatile("" : "+x"(codes));  // or the product would leave the loop
            sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(codes, acts));
        }
    }
    for (const __m256i& sum : sums)
        *sink += static_cast<float>(_mm256_extract_epi16(sum, 0));
    return static_cast<double>(rounds) * kRegisters * 64;
}

}  // namespace

extern constinit const PeakLoops kMachinePeakLoops = {float32_loop, int8_loop};

}  // namespace brigada::avx2
