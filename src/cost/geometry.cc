#include "cost/geometry.h"

#include <algorithm>
#include <cmath>

namespace brigada {

namespace {

uint64_t bytes_of(uint64_t params, double each) {
    return static_cast<uint64_t>(std::llround(static_cast<double>(params) * each));
}

}  // namespace

uint64_t ModelGeometry::params() const {
    uint64_t sum = embedding_params + other_params;
    for (const LayerGeometry& layer : layers)
        sum += layer.attention_params + layer.dense_params + layer.expert_params * layer.experts;
    return sum;
}

uint64_t ModelGeometry::active_params() const {
    uint64_t sum = output_params();
    for (const LayerGeometry& layer : layers)
        sum += layer.attention_params + layer.dense_params +
               layer.expert_params * layer.experts_per_token;
    return sum;
}

uint64_t ModelGeometry::weight_bytes() const {
    uint64_t sum = bytes_of(embedding_params, embedding_param_bytes) +
                   bytes_of(other_params, other_param_bytes);
    for (const LayerGeometry& layer : layers)
        sum += bytes_of(layer.attention_params, layer.attention_param_bytes) +
               bytes_of(layer.dense_params, layer.dense_param_bytes) +
               bytes_of(layer.expert_params * layer.experts, layer.expert_param_bytes);
    return sum;
}

bool ModelGeometry::is_moe() const {
    return std::ranges::any_of(layers, [](const LayerGeometry& l) { return l.experts > 0; });
}

}  // namespace brigada
