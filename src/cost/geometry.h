// ModelGeometry: the measures of a model that decide how much memory and time it takes, for any
// architecture that is served, not only those our engine computes. Read from a config.json or a
// GGUF header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace brigada {

class GgufFile;

/// Keys and values of every earlier position, or of the last `window` ones.
struct HeadsKv {
    uint32_t kv_heads = 0;
    uint32_t key_dim = 0;    // per head
    uint32_t value_dim = 0;  // per head
    uint32_t window = 0;     // tokens; 0: all
    bool operator==(const HeadsKv&) const = default;
};

/// One latent per position for all heads (MLA), whole on every rank. Expanded, it is a key of
/// nope + rope numbers and a value for each head.
struct LatentKv {
    uint32_t latent = 0;         // kv_lora_rank
    uint32_t rope = 0;           // qk_rope_head_dim
    uint32_t nope = 0;           // qk_nope_head_dim
    uint32_t value_dim = 0;      // v_head_dim
    uint32_t indexer_bytes = 0;  // of a sparse indexer's key, per position
    uint32_t indexer_heads = 0;  // its query heads
    uint32_t indexer_top = 0;    // positions that it lets attention see; 0: all
    bool operator==(const LatentKv&) const = default;
};

/// One latent per position within a window, and behind it one per `ratio` positions (DeepSeek-V4);
/// whole on every rank.
struct CompressedKv {
    uint32_t latent = 0;         // numbers of one entry, key and value at once
    uint32_t window = 0;         // tokens
    uint32_t ratio = 0;          // positions behind one compressed entry; 0: there is none
    uint64_t state_bytes = 0;    // of the compressor, per sequence
    uint32_t indexer_bytes = 0;  // of a sparse indexer's key, per compressed entry
    uint32_t indexer_heads = 0;  // its query heads
    uint32_t indexer_top = 0;    // compressed entries that it lets attention see; 0: all
    bool operator==(const CompressedKv&) const = default;
};

/// A state that does not grow (linear attention, Mamba): whole, before division among ranks.
struct StateKv {
    uint64_t bytes = 0;
    bool operator==(const StateKv&) const = default;
};

/// Nothing of its own: no attention, or another layer's KV.
struct NoKv {
    bool operator==(const NoKv&) const = default;
};

using LayerKv = std::variant<HeadsKv, LatentKv, CompressedKv, StateKv, NoKv>;

/// Parameters, and how many bytes each takes as the file has them, scales included.
struct LayerGeometry {
    LayerKv kv;
    uint32_t heads = 0;  // query heads; 0: no attention
    uint64_t attention_params = 0;
    uint64_t dense_params =
        0;  // of the feed-forward part, what every token passes: dense, shared experts, router
    uint64_t expert_params = 0;  // of one routed expert; 0: none
    uint32_t experts = 0;        // routed
    uint32_t experts_per_token = 0;
    double attention_param_bytes = 2;
    double dense_param_bytes = 2;
    double expert_param_bytes = 2;
    uint64_t whole_params = 0;  // of attention and dense: on each tensor-parallel rank, not shared
    bool operator==(const LayerGeometry&) const = default;
};

/// In which numbers the linear layers multiply. Weights that are only stored in fewer bits (AWQ,
/// GPTQ, GGUF; mxfp4 where the accelerator has no fp4) multiply in bf16.
enum class ComputeDtype { bf16, fp8, fp4 };

struct ModelGeometry {
    std::string name;
    std::string architecture;
    uint32_t d_model = 0;
    uint32_t vocab = 0;
    uint32_t heads = 0;        // query heads of an attention layer
    uint32_t max_context = 0;  // tokens
    bool tied_embeddings = false;
    std::vector<LayerGeometry> layers;
    uint64_t embedding_params = 0;  // input embedding, and the output matrix where it is another
    uint64_t other_params = 0;      // vision tower and the like
    double embedding_param_bytes = 2;
    double other_param_bytes = 2;
    uint32_t expert_width_multiple = 1;  // to which engines pad a routed expert's inner width
    ComputeDtype compute = ComputeDtype::bf16;
    std::vector<std::string> assumed;  // what the file does not say and was taken for granted

    uint64_t output_params() const { return uint64_t{vocab} * d_model; }
    uint64_t params() const;         // all
    uint64_t active_params() const;  // that one token passes, output matrix included, embedding not
    uint64_t weight_bytes() const;   // all, in the file's quantisation
    bool is_moe() const;
};

/// The text of a config.json. Infinity and NaN, which Python writes though JSON has none, become
/// null.
Result<Json> parse_config(std::string_view text, std::string_view what);

/// Error::unsupported: an architecture whose layers are not known, and what is. Error::corrupt: a
/// field that is missing, contradicts another or makes no sense, by its name. `what` names the
/// file.
Result<ModelGeometry> geometry_from_json(const Json& config, std::string_view what);
Result<ModelGeometry> geometry_from_gguf(const GgufFile& file);

/// A model of the built-in catalogue ("qwen3-32b"), a folder or file (config.json, GGUF, folder
/// with safetensors), by whichever fits. Error::not_found lists the nearest names.
Result<ModelGeometry> find_geometry(const std::string& name_or_path);
std::vector<std::string> known_models();

}  // namespace brigada
