// The names and shapes of a model's weights: which ones a config needs, how Hugging Face calls
// them, and how fused ones come apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/config.h"
#include "model/tensor.h"

namespace brigada {

struct NeededWeight {
    std::string name;
    std::vector<uint64_t> shape;
};

/// All weights of a model of this config, as listed at Model::tensors().
std::vector<NeededWeight> needed_weights(const ModelConfig& config);

/// "model.layers.3.self_attn.q_proj.weight" → "blk.3.attn_q.weight". The prefixes of multimodal
/// files are understood. nullopt for what is not part of the text model: vision towers, and buffers
/// (rotary_emb.inv_freq) that are computed here. A text weight of an unknown kind keeps its name.
std::optional<std::string> name_from_hugging_face(std::string_view name);

/// Cuts blk.N.attn_qkv into attn_q, attn_k and attn_v, and blk.N.ffn_gate_up into ffn_gate and
/// ffn_up, by rows. Error::corrupt when the rows do not add up.
Result<std::vector<Tensor>> split_fused(std::vector<Tensor> tensors, const ModelConfig& config);

}  // namespace brigada
