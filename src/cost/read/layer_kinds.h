// LayerKinds: how each layer of a model looks back: at everything, at a window, at a chunk, or
// through a state; from the list, pattern, interval or rule in which its makers say it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cost/read/model_measures.h"

namespace brigada {

enum class LookBack { full, window, state };

struct LayerKinds {
    std::vector<LookBack> layers;
    uint32_t window = 0;  // tokens, of those that have one
};

/// A window as long as the context is none.
Result<LayerKinds> read_layer_kinds(const ConfigFields& fields, ModelMeasures& measures);

}  // namespace brigada
