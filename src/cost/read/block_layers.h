// Models whose layers are put together one by one: Nemotron-H (a pattern of single blocks),
// Nemotron NAS (block_configs) and Falcon-H1 (attention and Mamba side by side).
#pragma once

#include <vector>

#include "base/result.h"
#include "cost/read/layer_parts.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// One per block of hybrid_override_pattern: M Mamba, * attention, - dense, E experts.
Result<std::vector<LayerParts>> read_nemotron_h(const ConfigFields& fields,
                                                ModelMeasures& measures);

Result<std::vector<LayerParts>> read_deci(const ConfigFields& fields, ModelMeasures& measures);

/// Two per layer: the attention, then the Mamba with the feed-forward part.
Result<std::vector<LayerParts>> read_falcon_h1(const ConfigFields& fields, ModelMeasures& measures);

}  // namespace brigada
