// ElementwiseKernels: what one instruction set offers for rows, as a table of functions. A function
// works on one row; how rows fan out over threads is elementwise.cc's.
#pragma once

#include <cstddef>

namespace brigada {

struct ElementwiseKernels {
    /// out = x / sqrt(mean(x^2) + eps) * weight; out may be x.
    void (*rms_norm)(const float* x, const float* weight, float eps, size_t width, float* out);
    /// out += x.
    void (*add)(const float* x, size_t width, float* out);
    /// out = silu(gate) * up; out may be either.
    void (*silu_mul)(const float* gate, const float* up, size_t width, float* out);
    /// Turns pairs (x[i], x[i + pairs]) by the angle of cos[i], sin[i].
    void (*rope_halves)(float* x, size_t pairs, const float* cos, const float* sin);
    /// Turns pairs (x[2 * i], x[2 * i + 1]).
    void (*rope_adjacent)(float* x, size_t pairs, const float* cos, const float* sin);
    /// The greatest that is not NaN; -infinity when there is none.
    float (*greatest)(const float* x, size_t width);
    /// Sum of e^((x - offset) * scale), and each of them to out unless that is null; out may be x.
    double (*sum_exp)(const float* x, size_t width, float offset, float scale, float* out);
    /// out *= factor.
    void (*scale)(float factor, size_t width, float* out);
};

}  // namespace brigada
