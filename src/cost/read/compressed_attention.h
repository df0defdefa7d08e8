// DeepSeek-V4's attention as a MixerGeometry: one latent that is key and value of all heads, kept
// in a short window; in most layers a compressor makes one latent of every few positions behind it,
// and where those are many a sparse indexer chooses among them.
#pragma once

#include <vector>

#include "base/result.h"
#include "cost/read/layer_parts.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// One per entry of compress_ratios: the model's layers, then those that predict further tokens.
Result<std::vector<MixerGeometry>> read_compressed_attention(const ConfigFields& fields,
                                                             ModelMeasures& measures);

}  // namespace brigada
