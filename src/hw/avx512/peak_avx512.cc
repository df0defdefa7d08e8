// The loops of peak.h for AVX-512 with VNNI and BF16.
#include <immintrin.h>

#include "hw/peak.h"

namespace brigada::avx512 {
namespace {

constexpr int kRegisters = 24;

double float32_loop(size_t rounds, float* sink) {
    const __m512 half = _mm512_set1_ps(0.5f);
    __m512 sums[kRegisters] = {};
    for (size_t i = 0; i < rounds; ++i)
        for (__m512& sum : sums)
            sum = _mm512_fmadd_ps(sum, half, half);
    for (const __m512& sum : sums)
        *sink += _mm512_cvtss_f32(sum);
    return static_cast<double>(rounds) * kRegisters * 32;
}

double int8_loop(size_t rounds, float* sink) {
    const __m512i codes = _mm512_set1_epi8(3), acts = _mm512_set1_epi8(5);
    __m512i sums[kRegisters] = {};
    for (size_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)  // the assembly would keep it a loop over memory
        for (__m512i& sum : sums) {
            sum = _mm512_dpbusd_epi32(sum, codes, acts);
            __asm__ volatile("" : "+v"(sum));  // or many rounds would become one product
        }
    }
    for (const __m512i& sum : sums)
        *sink += static_cast<float>(_mm_cvtsi128_si32(_mm512_castsi512_si128(sum)));
    return static_cast<double>(rounds) * kRegisters * 128;
}

}  // namespace

extern constinit const PeakLoops kMachinePeakLoops = {float32_loop, int8_loop};

}  // namespace brigada::avx512
