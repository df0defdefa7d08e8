// Peak: how fast this machine multiplies and adds with an instruction set's registers full,
// measured: the roof of prefill.
#pragma once

#include <cstddef>

#include "base/time.h"
#include "hw/cpu.h"

namespace brigada {

/// Operations per second, a multiply and an add counted as two.
struct Peak {
    double float32 = 0;  // fused multiply-add, or multiply and add where the set has none
    double int8 = 0;     // 8-bit products summed to 16 bits (vpmaddubsw) or to 32 (vpdpbusd)
};

/// Peaks of `threads` threads together; each of the two takes about `budget`. Needs isa <=
/// best_isa().
Peak measure_peak(Isa isa, unsigned threads, Duration budget = Duration::milliseconds(50));

/// A register-only loop of one instruction set: runs `rounds` times over enough independent
/// registers and returns the operations done. What it computed goes to `sink`.
using PeakLoop = double (*)(size_t rounds, float* sink);

struct PeakLoops {
    PeakLoop float32;
    PeakLoop int8;
};

}  // namespace brigada
