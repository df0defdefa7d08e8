// Matrix: packing a tensor of a file into panels.
#include <algorithm>

#include "kernels/matmul.h"
#include "kernels/matmul_kernels.h"

namespace brigada {
namespace {

Result<void> check_shape(WeightType type, size_t rows, size_t cols, size_t file_bytes) {
    if (rows == 0)
        return Error{Code::invalid_argument, concat("a ", to_string(type), " matrix of 0 rows")};
    TRY(const size_t row, row_bytes(type, cols));
    size_t expected = 0;
    if (__builtin_mul_overflow(row, rows, &expected) || expected != file_bytes)
        return Error{Code::corrupt,
                     concat("a ", to_string(type), " matrix [", rows, "][", cols, "] takes ", rows,
                            " x ", row, " bytes; the file has ", file_bytes)};
    return {};
}

}  // namespace

Result<Matrix> Matrix::make(WeightType type, size_t rows, size_t cols,
                            std::span<const std::byte> file_bytes, Isa isa, Compute compute,
                            Pool& pool) {
    return make(type, rows, cols, file_bytes, matmul_kernels(isa), compute, pool);
}

Result<Matrix> Matrix::make(WeightType type, size_t rows, size_t cols,
                            std::span<const std::byte> file_bytes, const MatmulKernels& kernels,
                            Compute compute, Pool& pool) {
    TRY(check_shape(type, rows, cols, file_bytes.size()));
    Matrix out(type, rows, cols, kernels, compute);
    out.layout_ = panel_layout(type, cols);
    // No overflow: file_bytes exist in memory, and packing costs at most 16 rows for one and
    // eight columns for one, a factor of 128 on sizes below 2^48.
    out.data_ = AlignedBuffer::allocate(out.bytes());
    if (out.data_.empty())
        return Error{Code::exhausted, concat("no memory for ", out.bytes(), " bytes of a ",
                                             to_string(type), " matrix [", rows, "][", cols, "]")};
    out.pack(file_bytes, pool);
    return out;
}

void Matrix::pack(std::span<const std::byte> file_bytes, Pool& pool) {
    const size_t row_size = file_bytes.size() / rows_;
    pool.run(panels(), [&](size_t index, unsigned) {
        const size_t first = index * kPanelRows;
        const size_t count = std::min(kPanelRows, rows_ - first);
        pack_panel(type_, layout_, cols_, file_bytes.subspan(first * row_size, count * row_size),
                   data_.bytes().subspan(index * layout_.bytes, layout_.bytes));
    });
}

}  // namespace brigada
