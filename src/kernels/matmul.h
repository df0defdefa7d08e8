// Matmul: activations times a weight matrix, for weights in any format of files. A Matrix is packed
// once at load for the kernels of one instruction set; matmul() then spreads it over the pool.
#pragma once

#include <cstddef>
#include <span>

#include "hw/cpu.h"
#include "kernels/aligned_buffer.h"
#include "kernels/panel.h"
#include "kernels/pool.h"
#include "kernels/weight_type.h"

namespace brigada {

struct MatmulKernels;

/// How weights meet activations.
enum class Compute {
    fast,   // activations become int8 per 32 columns for quantised weights, and bf16 for bf16
            // weights where the machine multiplies those; other weights as in exact
    exact,  // activations stay float; weights are dequantised exactly
};

/// A weight matrix [rows][cols], packed into panels of 16 rows (kernels/panel.h).
class Matrix {
  public:
    /// `file_bytes` is the tensor as stored, row after row; it is not needed afterwards.
    /// Error::unsupported when cols does not fit the type's blocks, ::invalid_argument when there
    /// are no rows, ::corrupt when the bytes are not rows * row_bytes, ::exhausted without memory.
    static Result<Matrix> make(WeightType type, size_t rows, size_t cols,
                               std::span<const std::byte> file_bytes, Isa isa, Compute compute,
                               Pool& pool);

    /// The same for kernels that are not in the table of this machine's sets, as in tests.
    static Result<Matrix> make(WeightType type, size_t rows, size_t cols,
                               std::span<const std::byte> file_bytes, const MatmulKernels& kernels,
                               Compute compute, Pool& pool);

    WeightType type() const { return type_; }
    Compute compute() const { return compute_; }
    size_t rows() const { return rows_; }
    size_t cols() const { return cols_; }

    /// Bytes one pass over the matrix reads; padding included.
    size_t bytes() const { return panels() * layout_.bytes; }

    // For matmul().
    size_t panels() const { return (rows_ + kPanelRows - 1) / kPanelRows; }
    const PanelLayout& layout() const { return layout_; }
    std::span<const std::byte> panel(size_t index) const {
        return data_.bytes().subspan(index * layout_.bytes, layout_.bytes);
    }
    const MatmulKernels& kernels() const { return *kernels_; }

  private:
    Matrix(WeightType type, size_t rows, size_t cols, const MatmulKernels& kernels, Compute compute)
        : type_(type), compute_(compute), rows_(rows), cols_(cols), kernels_(&kernels) {}

    void pack(std::span<const std::byte> file_bytes, Pool& pool);

    WeightType type_;
    Compute compute_;
    size_t rows_;
    size_t cols_;
    const MatmulKernels* kernels_;
    PanelLayout layout_;
    AlignedBuffer data_;
};

/// Memory matmul() works in. The caller keeps one per thread that calls; it grows and never
/// shrinks.
struct MatmulScratch {
    AlignedBuffer groups;  // activations as ActivationGroup
    AlignedBuffer halves;  // activations as bf16
    AlignedBuffer floats;  // activations with padded columns
    AlignedBuffer panels;  // one dequantised panel per worker
};

/// out [m][weights->rows()] = acts * weights^T, or += where `accumulate`.
struct MatmulJob {
    const Matrix* weights;
    float* out;
    bool accumulate = false;
};

/// Several matrices of equal cols() over the same activations (q, k, v; gate, up): activations are
/// converted once and there is one fan-out.
///   acts  [m][cols] float
/// Row i of the output depends on row i of the activations alone: it is the same bits whatever m,
/// the other rows and the number of threads. Error, against exact arithmetic on the stored weights
/// and, under Compute::fast, the rounded activations: within
/// (cols + 8) * 2^-24 * sum|w * a|, or twice that with mins; rounding an activation to int8 moves
/// it by at most largest / 254 of its 32, to bf16 by at most 2^-9 of itself.
void matmul(std::span<const MatmulJob> jobs, const float* acts, size_t m, MatmulScratch& scratch,
            Pool& pool);

/// One matrix: out [m][rows].
void matmul(const Matrix& weights, const float* acts, size_t m, float* out, MatmulScratch& scratch,
            Pool& pool, bool accumulate = false);

}  // namespace brigada
