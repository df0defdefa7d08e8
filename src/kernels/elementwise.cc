#include "kernels/elementwise.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "kernels/elementwise_kernels.h"

namespace brigada {

namespace portable {
extern const ElementwiseKernels kElementwiseKernels;
}
namespace avx2 {
extern const ElementwiseKernels kElementwiseKernels;
}
namespace avx512 {
extern const ElementwiseKernels kElementwiseKernels;
}

const ElementwiseKernels& elementwise_kernels(Isa isa) {
    CHECK(isa <= best_isa(), to_string(isa), " does not run here");
    switch (isa) {
        case Isa::portable:
            return portable::kElementwiseKernels;
        case Isa::avx2:
            return avx2::kElementwiseKernels;
        case Isa::avx512:
            return avx512::kElementwiseKernels;
    }
    CHECK(false, "isa=", static_cast<int>(isa));
}

namespace {

/// Calls f(row) for all rows; in the pool when a task of whole rows is worth its start, which costs
/// about as much as 4096 floats.
template <typename F>
void for_rows(size_t rows, size_t width, Pool& pool, F f) {
    constexpr size_t kTaskFloats = 16384;
    const size_t rows_per_task = std::max<size_t>(1, kTaskFloats / std::max<size_t>(1, width));
    const size_t tasks = (rows + rows_per_task - 1) / rows_per_task;
    pool.run(tasks, [&](size_t task, unsigned) {
        const size_t end = std::min(rows, (task + 1) * rows_per_task);
        for (size_t row = task * rows_per_task; row < end; ++row)
            f(row);
    });
}

}  // namespace

void rms_norm(const ElementwiseKernels& kernels, ConstRows x, const float* weight, float eps,
              Rows out, Pool& pool) {
    DCHECK(x.count == out.count && x.width == out.width);
    for_rows(x.count, x.width, pool,
             [&](size_t row) { kernels.rms_norm(x.row(row), weight, eps, x.width, out.row(row)); });
}

void add_bias(const ElementwiseKernels& kernels, const float* bias, Rows out, Pool& pool) {
    for_rows(out.count, out.width, pool,
             [&](size_t row) { kernels.add(bias, out.width, out.row(row)); });
}

void silu_mul(const ElementwiseKernels& kernels, ConstRows gate, ConstRows up, Rows out,
              Pool& pool) {
    DCHECK(gate.count == out.count && gate.width == out.width);
    DCHECK(up.count == out.count && up.width == out.width);
    for_rows(out.count, out.width, pool, [&](size_t row) {
        kernels.silu_mul(gate.row(row), up.row(row), out.width, out.row(row));
    });
}

void rope(const ElementwiseKernels& kernels, Rows tokens, size_t head_dim, size_t dims,
          RopePairing pairing, std::span<const RopeAngles> angles, Pool& pool) {
    CHECK(dims % 2 == 0 && dims <= head_dim, dims, " of ", head_dim);
    CHECK(head_dim > 0 && tokens.width % head_dim == 0, tokens.width, " by ", head_dim);
    CHECK(angles.size() == tokens.count, angles.size(), " angles, ", tokens.count, " tokens");
    const auto turn = pairing == RopePairing::halves ? kernels.rope_halves : kernels.rope_adjacent;
    for_rows(tokens.count, tokens.width, pool, [&](size_t row) {
        float* const end = tokens.row(row) + tokens.width;
        for (float* head = tokens.row(row); head != end; head += head_dim)
            turn(head, dims / 2, angles[row].cos, angles[row].sin);
    });
}

size_t argmax(const ElementwiseKernels& kernels, std::span<const float> x) {
    CHECK(!x.empty());
    const float greatest = kernels.greatest(x.data(), x.size());
    const auto found = std::find(x.begin(), x.end(), greatest);
    return found == x.end() ? 0 : static_cast<size_t>(found - x.begin());  // end: all are NaN
}

float log_sum_exp(const ElementwiseKernels& kernels, std::span<const float> x) {
    CHECK(!x.empty());
    const float greatest = kernels.greatest(x.data(), x.size());
    if (std::isinf(greatest)) return greatest;
    const double sum = kernels.sum_exp(x.data(), x.size(), greatest, 1, nullptr);
    return static_cast<float>(static_cast<double>(greatest) + std::log(sum));
}

void softmax(const ElementwiseKernels& kernels, std::span<const float> x, float scale,
             std::span<float> out) {
    CHECK(out.size() == x.size());
    const float greatest = kernels.greatest(x.data(), x.size());
    const double sum = kernels.sum_exp(x.data(), x.size(), greatest, scale, out.data());
    kernels.scale(static_cast<float>(1 / sum), out.size(), out.data());
}

}  // namespace brigada
