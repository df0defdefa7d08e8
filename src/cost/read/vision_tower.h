// The parameters of a multimodal model's vision (and audio) parts, estimated from vision_config:
// they take memory beside the text model and nothing else here.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// 0 where there is none.
Result<uint64_t> read_vision_params(const ConfigFields& outer, ModelMeasures& measures);

}  // namespace brigada
