#include "cost/read/tensor_sums.h"

#include <charconv>
#include <initializer_list>
#include <optional>

namespace brigada {

namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
        if (name.find(word) != std::string_view::npos) return true;
    return false;
}

struct InLayer {
    size_t layer = 0;
    std::string_view rest;  // of the name, behind the layer's number
};

/// The layer and what follows, behind `before` ("blk.", "layers."); nullopt: in no layer.
std::optional<InLayer> in_layer(std::string_view name, std::string_view before) {
    const size_t at = name.find(before);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view tail = name.substr(at + before.size());
    InLayer out;
    const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), out.layer);
    if (error != std::errc() || end == tail.data() + tail.size() || *end != '.')
        return std::nullopt;
    out.rest = tail.substr(static_cast<size_t>(end - tail.data()) + 1);
    return out;
}

void note_gguf_kind(LayerSums& layer, std::string_view rest) {
    if (rest.starts_with("ssm_")) layer.has_state = true;
    if (rest.starts_with("attn_k.") || rest.starts_with("attn_qkv.")) layer.has_keys = true;
    if (rest.starts_with("attn_kv_a")) layer.has_latent = true;
}

}  // namespace

void add_gguf_tensor(TensorSums& sums, std::string_view name, uint64_t params, uint64_t bytes,
                     bool is_vector) {
    const auto place = in_layer(name, "blk.");
    if (!place) {
        const bool text = has_any(name, {"token_embd", "output"});
        (text ? sums.embedding : sums.other).add(params, bytes);
        return;
    }
    if (place->layer >= sums.layers.size()) return;
    LayerSums& layer = sums.layers[place->layer];
    note_gguf_kind(layer, place->rest);
    if (is_vector || has_any(place->rest, {"ffn_gate_inp.", "attn_q_a.", "attn_kv_a"}))
        layer.whole_params += params;
    if (has_any(place->rest, {"_exps."}))
        layer.experts.add(params, bytes);
    else if (place->rest.starts_with("ffn_"))
        layer.dense.add(params, bytes);
    else
        layer.attention.add(params, bytes);
}

void add_hugging_face_tensor(TensorSums& sums, std::string_view name, uint64_t bytes) {
    if (has_any(name, {"vision", "visual", "audio", "mm_projector", "multi_modal"})) {
        sums.other.bytes += bytes;
        return;
    }
    if (name.starts_with("mtp.")) return;
    const auto place = in_layer(name, "layers.");
    if (!place) {
        sums.embedding.bytes += bytes;
        return;
    }
    if (place->layer >= sums.layers.size()) return;
    LayerSums& layer = sums.layers[place->layer];
    const bool attends = has_any(place->rest, {"attn", "mamba", "input_layernorm", "conv", "A_log",
                                               "in_proj", "out_proj", "dt_bias"});
    if (has_any(place->rest, {".experts.", "_experts."}) &&
        !has_any(place->rest, {"shared_expert"}))
        layer.experts.bytes += bytes;
    else
        (attends ? layer.attention : layer.dense).bytes += bytes;
}

}  // namespace brigada
