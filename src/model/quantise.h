// quantise_row: floats to a row of a storable type, for synthetic models, tests and tools. Q8_0,
// Q4_0 and Q4_1 by the rounding of ggml's reference, so that files are the same bytes as
// llama-quantize's.
#pragma once

#include <cstddef>

#include "model/dtype.h"

namespace brigada {

/// Whether quantise_row writes this type: F32, F16, BF16, Q4_0, Q4_1 and Q8_0.
bool can_quantise(DType type);

///   in    [cols], finite
///   cols  a whole number of blocks
///   out   row_bytes(type, cols) bytes, overwritten
/// CHECKs can_quantise(type).
void quantise_row(DType type, const float* in, size_t cols, std::byte* out);

}  // namespace brigada
