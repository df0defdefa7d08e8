// ModelConfig: what kind of transformer the weights are, and its measures. Read from GGUF metadata
// or from a Hugging Face config.json, and checked: a config that exists can be computed with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/rope.h"

namespace brigada {

class GgufFile;

enum class Architecture { llama, mistral, qwen2, qwen3 };

std::string_view to_string(Architecture architecture);

/// Attention over everything before.
struct FullAttention {
    bool operator==(const FullAttention&) const = default;
};

/// Attention over the last `tokens` positions, the query's own included: key j is seen by query i
/// when i - j < tokens.
struct WindowAttention {
    uint32_t tokens = 0;
    bool operator==(const WindowAttention&) const = default;
};

using LayerKind = std::variant<FullAttention, WindowAttention>;

struct ModelConfig {
    Architecture architecture = Architecture::llama;
    std::string name;

    uint32_t vocab = 0;    // rows of the embedding
    uint32_t d_model = 0;  // width of the residual stream
    uint32_t layers = 0;
    uint32_t heads = 0;  // query heads; a multiple of kv_heads
    uint32_t kv_heads = 0;
    uint32_t head_dim = 0;  // often not d_model / heads
    uint32_t d_ff = 0;
    uint32_t max_context = 0;  // tokens the model was made for, scaling included
    float norm_eps = 1e-5f;    // RMSNorm

    bool tied_embeddings = false;  // the output matrix is token_embd.weight
    bool qk_norm = false;          // RMSNorm of each query and key head before RoPE
    bool qkv_bias = false;
    bool attention_output_bias = false;
    bool mlp_bias = false;

    Rope rope;
    std::vector<LayerKind> layer_kinds;  // one per layer

    bool operator==(const ModelConfig&) const = default;
};

/// From the metadata of a GGUF file and the presence of its bias and norm tensors.
/// `rope_freqs.weight` becomes rope.scaling. Error::unsupported names an architecture or feature
/// that does not run here and lists what does; Error::corrupt names a key that is missing or makes
/// no sense.
Result<ModelConfig> config_from_gguf(const GgufFile& file);

/// From a Hugging Face config.json; `what` names it in messages. The text model of a multimodal
/// file
/// (`text_config`) is taken. Errors as above.
Result<ModelConfig> config_from_json(const Json& config, std::string_view what);

}  // namespace brigada
