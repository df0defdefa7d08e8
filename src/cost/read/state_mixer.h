// Layers that keep a state instead of KV, as Mixers: Gated DeltaNet (Qwen), Kimi Delta Attention,
// Mamba 1 (Jamba) and Mamba 2 (Nemotron-H, Falcon-H1). All layers of a model that do so are alike.
#pragma once

#include "base/result.h"
#include "cost/read/layer_parts.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// Whichever of them the fields describe. Error::unsupported: none.
Result<MixerGeometry> read_state_mixer(const ConfigFields& fields, ModelMeasures& measures);

/// Of the blocks and layers that can only be this.
Result<MixerGeometry> read_mamba2(const ConfigFields& fields, ModelMeasures& measures);

}  // namespace brigada
