// Elementwise: what a transformer does to rows between its matrices: norms, rotary positions,
// activations, sums, and the softmax of a vocabulary row. Each row's result depends on that row
// alone and is the same bits on every thread count; many rows fan out over the pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/rope_pairing.h"
#include "hw/cpu.h"
#include "kernels/pool.h"

namespace brigada {

struct ElementwiseKernels;  // elementwise_kernels.h

/// The kernels of one instruction set, which this machine must run.
const ElementwiseKernels& elementwise_kernels(Isa isa);

/// `count` rows of `width` floats, `stride` floats apart. Of q [rows][heads][head_dim] lying
/// together, the heads are rows too: {q, rows * heads, head_dim, head_dim}.
template <typename T>
struct RowsOf {
    T* data = nullptr;
    size_t count = 0;
    size_t width = 0;
    size_t stride = 0;

    T* row(size_t i) const { return data + i * stride; }
    operator RowsOf<const T>() const { return {data, count, width, stride}; }
};
using Rows = RowsOf<float>;
using ConstRows = RowsOf<const float>;

/// out = x / sqrt(mean(x^2) + eps) * weight[width], row by row; out may be x. The mean is a float
/// sum in 32 lanes: relative error of a result at most (width / 32 + 10) * 2^-24.
void rms_norm(const ElementwiseKernels& kernels, ConstRows x, const float* weight, float eps,
              Rows out, Pool& pool);

/// Adds bias[width] to every row of out.
void add_bias(const ElementwiseKernels& kernels, const float* bias, Rows out, Pool& pool);

/// out = silu(gate) * up, where silu(x) = x / (1 + e^-x); out may be gate or up.
void silu_mul(const ElementwiseKernels& kernels, ConstRows gate, ConstRows up, Rows out,
              Pool& pool);

/// cos and sin of the angle of each rotated pair, [dims / 2] each, for one position.
struct RopeAngles {
    const float* cos = nullptr;
    const float* sin = nullptr;
};

/// Turns the first `dims` dimensions (even, at most head_dim) of every head of every token in
/// place.
///   tokens  width = heads * head_dim, one row per token
///   angles  one per token
void rope(const ElementwiseKernels& kernels, Rows tokens, size_t head_dim, size_t dims,
          RopePairing pairing, std::span<const RopeAngles> angles, Pool& pool);

/// Index of the greatest; the lowest among equals. NaN is never the greatest unless all are, then
/// 0. Needs at least one.
size_t argmax(const ElementwiseKernels& kernels, std::span<const float> x);

/// log(sum(e^x)), without overflow; -infinity when all are. Needs at least one.
float log_sum_exp(const ElementwiseKernels& kernels, std::span<const float> x);

/// out = e^(x * scale) / sum(e^(x * scale)); out may be x. -infinity becomes 0. Needs a greatest x
/// that is finite, and scale > 0 (1 / temperature).
void softmax(const ElementwiseKernels& kernels, std::span<const float> x, float scale,
             std::span<float> out);

}  // namespace brigada
