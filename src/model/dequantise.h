// dequantise_row: one row of any DType that is_read as floats, by the formulas of the GGUF
// specification. Scalar and plain: the oracle that kernels are tested against, and what reads small
// tensors such as norms.
#pragma once

#include <cstddef>
#include <vector>

#include "model/dtype.h"
#include "model/tensor.h"

namespace brigada {

///   row   row_bytes(type, cols) bytes, at any address
///   cols  a whole number of blocks
///   out   [cols], overwritten
/// Every product and sum is one rounded float operation, in the order of the specification, so the
/// result is the same bits everywhere.
void dequantise_row(DType type, const std::byte* row, size_t cols, float* out);

/// A whole tensor, row-major.
std::vector<float> dequantise(const Tensor& tensor);

}  // namespace brigada
