// quantised(): the same model with weights in other numbers, where no file of them is at hand.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cost/geometry.h"

namespace brigada {

/// `weights`: bf16, fp8, nvfp4 (4 bits and a scale for 16), int4 (4 bits in groups of 128, which
/// multiply in bf16). Embeddings stay as they are. Files are larger than the bits say by what stays
/// unquantised: an estimate. Error::invalid_argument names the types.
Result<ModelGeometry> quantised(ModelGeometry model, std::string_view weights);

}  // namespace brigada
