// LayerParts: a layer while it is read: its mixer (attention, or a state that stands for it) and
// its feed-forward part, each with its parameters and the name of a matrix of it, by which a file
// says how it is quantised.
#pragma once

#include <cstdint>
#include <string_view>

#include "cost/geometry.h"

namespace brigada {

struct MixerGeometry {
    LayerKv kv = NoKv{};
    uint32_t heads = 0;  // query heads
    uint64_t params = 0;
    uint64_t whole_params = 0;  // that each rank holds whole
    std::string_view matrix = "self_attn.q_proj";
};

struct FeedForwardGeometry {
    uint64_t dense_params = 0;
    uint64_t whole_params = 0;  // of those
    uint64_t expert_params = 0;
    uint32_t experts = 0;
    uint32_t experts_per_token = 0;
    std::string_view dense_matrix = "mlp.gate_proj";
    std::string_view expert_matrix = "mlp.experts.0.gate_proj";
};

struct LayerParts {
    MixerGeometry mixer;
    FeedForwardGeometry feed_forward;
};

}  // namespace brigada
