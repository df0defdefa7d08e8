// Architecture: what a model_type implies that its config.json does not say: which norms and biases
// there are, and the defaults of its makers' code. How layers attend and what they are made of is
// read from the fields themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cost/read/config_fields.h"

namespace brigada {

/// RMSNorm of queries and keys: of each head, of all heads as one vector, or neither.
enum class QkNorm { none, heads, whole };

/// Which layers have the window, where no list in the file says it.
enum class WindowRule {
    none,         // a window in the file is not used
    every,        // all
    above_first,  // all from max_window_layers on, if use_sliding_window
    even,         // 0, 2, 4, ...
    odd_ones,     // all but each `period`th
};

/// Families whose layers are put together in ways of their own.
enum class Assembly {
    uniform,      // attention and a feed-forward part in every layer
    nemotron_h,   // one thing per block, spelled out in a pattern
    deci,         // attention and feed-forward of each layer in block_configs
    falcon_h1,    // attention and Mamba side by side
    deepseek_v4,  // compressed latents
};

struct ArchitectureTraits {
    std::string_view type;  // model_type
    Assembly assembly = Assembly::uniform;
    uint32_t norms = 2;  // per layer, as wide as the model
    QkNorm qk_norm = QkNorm::none;
    bool qkv_bias = false;     // where attention_bias does not say
    bool output_bias = false;  // attention_bias means that of the output projection as well
    bool output_gate = false;  // queries come with a gate as wide
    bool gated = true;         // the feed-forward part has three matrices, not two
    bool tied = false;         // where tie_word_embeddings is absent
    bool shared_gate = false;  // the shared expert is weighted by a gate
    WindowRule windows = WindowRule::none;
    uint32_t period = 0;    // of odd_ones
    uint32_t head_dim = 0;  // default; 0: hidden_size / heads
    uint32_t window = 0;    // default
    uint32_t context = 0;   // default
    uint32_t vocab = 0;     // default
};

/// By model_type. Null: not known by name.
const ArchitectureTraits* find_architecture(std::string_view type);

/// "llama, mistral, ...", for messages.
std::string known_architectures();

}  // namespace brigada
