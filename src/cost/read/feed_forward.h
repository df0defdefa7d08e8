// The feed-forward parts of a model's layers: dense, or routed experts with or without shared ones,
// and which layers have which.
#pragma once

#include <vector>

#include "base/result.h"
#include "cost/read/layer_parts.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// One per layer.
Result<std::vector<FeedForwardGeometry>> read_feed_forward(const ConfigFields& fields,
                                                           ModelMeasures& measures);

/// A dense part of `width`, and the routed experts of a layer that has them.
FeedForwardGeometry dense_feed_forward(const ModelMeasures& measures, uint64_t width);
Result<FeedForwardGeometry> read_experts(const ConfigFields& fields, const ModelMeasures& measures);

}  // namespace brigada
