// The loops of peak.h for any x86-64 processor.
#include <cstdint>

#include "hw/peak.h"

namespace brigada::portable {
namespace {

constexpr size_t kLanes = 40;  // ten SSE registers

double float32_loop(size_t rounds, float* sink) {
    float sums[kLanes] = {};
    for (size_t i = 0; i < rounds; ++i)
        for (float& sum : sums)
            sum = sum * 0.5f + 0.5f;
    for (float sum : sums)
        *sink += sum;
    return static_cast<double>(rounds) * kLanes * 2;
}

/// 16-bit products, which is what plain C++ makes of 8-bit ones.
double int8_loop(size_t rounds, float* sink) {
    int16_t sums[2 * kLanes] = {};
    for (size_t i = 0; i < rounds; ++i)
        for (int16_t& sum : sums)
            sum = static_cast<int16_t>(sum * 3 + 5);
    for (int16_t sum : sums)
        *sink += sum;
    return static_cast<double>(rounds) * 2 * kLanes * 2;
}

}  // namespace

extern constinit const PeakLoops kMachinePeakLoops = {float32_loop, int8_loop};

}  // namespace brigada::portable
