#include "model/weight_names.h"

#include <array>
#include <utility>

#include "base/concat.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// The weights of one layer, without its "blk.N." prefix.
std::vector<NeededWeight> layer_weights(const ModelConfig& c) {
    const uint64_t d = c.d_model, ff = c.d_ff;
    const uint64_t q = uint64_t{c.heads} * c.head_dim, kv = uint64_t{c.kv_heads} * c.head_dim;
    std::vector<NeededWeight> out = {
        {"attn_norm.weight", {d}},    {"attn_q.weight", {q, d}},      {"attn_k.weight", {kv, d}},
        {"attn_v.weight", {kv, d}},   {"attn_output.weight", {d, q}}, {"ffn_norm.weight", {d}},
        {"ffn_gate.weight", {ff, d}}, {"ffn_up.weight", {ff, d}},     {"ffn_down.weight", {d, ff}},
    };
    const auto add_if = [&out](bool wanted, std::initializer_list<NeededWeight> weights) {
        if (wanted) out.insert(out.end(), weights);
    };
    add_if(c.qk_norm, {{"attn_q_norm.weight", {c.head_dim}}, {"attn_k_norm.weight", {c.head_dim}}});
    add_if(c.qkv_bias, {{"attn_q.bias", {q}}, {"attn_k.bias", {kv}}, {"attn_v.bias", {kv}}});
    add_if(c.attention_output_bias, {{"attn_output.bias", {d}}});
    add_if(c.mlp_bias, {{"ffn_gate.bias", {ff}}, {"ffn_up.bias", {ff}}, {"ffn_down.bias", {d}}});
    return out;
}

struct Renaming {
    std::string_view from, to;
};

constexpr std::array kTopNames = {
    Renaming{"embed_tokens.weight", "token_embd.weight"},
    Renaming{"norm.weight", "output_norm.weight"},
    Renaming{"lm_head.weight", "output.weight"},
};

/// Inside a layer, with ".weight" or ".bias" after it.
constexpr std::array kLayerNames = {
    Renaming{"input_layernorm", "attn_norm"},
    Renaming{"self_attn.q_proj", "attn_q"},
    Renaming{"self_attn.k_proj", "attn_k"},
    Renaming{"self_attn.v_proj", "attn_v"},
    Renaming{"self_attn.qkv_proj", "attn_qkv"},
    Renaming{"self_attn.o_proj", "attn_output"},
    Renaming{"self_attn.q_norm", "attn_q_norm"},
    Renaming{"self_attn.k_norm", "attn_k_norm"},
    Renaming{"post_attention_layernorm", "ffn_norm"},
    Renaming{"mlp.gate_proj", "ffn_gate"},
    Renaming{"mlp.up_proj", "ffn_up"},
    Renaming{"mlp.gate_up_proj", "ffn_gate_up"},
    Renaming{"mlp.down_proj", "ffn_down"},
};

/// Of the other parts of multimodal files.
constexpr std::array<std::string_view, 6> kOtherParts = {"vision_tower.", "vision_model.",
                                                         "visual.",       "multi_modal_projector.",
                                                         "mm_projector.", "audio_tower."};

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// "3.self_attn.q_proj.weight" → "blk.3.attn_q.weight"; nullopt when no name of a layer's weight.
std::optional<std::string> layer_name(std::string_view rest) {
    const size_t digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == rest.npos || rest[digits] != '.') return std::nullopt;
    const std::string_view number = rest.substr(0, digits), inside = rest.substr(digits + 1);
    const size_t dot = inside.rfind('.');
    if (dot == inside.npos) return std::nullopt;
    for (const Renaming& renaming : kLayerNames)
        if (inside.substr(0, dot) == renaming.from)
            return concat("blk.", number, ".", renaming.to, inside.substr(dot));
    return std::nullopt;
}

// --- fused weights ---------------------------------------------------------------------------

struct Part {
    std::string_view name;
    uint64_t rows;
};

/// One tensor per part, rows in order; a bias is cut along its only dimension.
Result<void> cut(const Tensor& fused, std::string_view prefix, std::string_view suffix,
                 std::span<const Part> parts, std::vector<Tensor>& out) {
    const bool is_bias = fused.shape.size() == 1;
    const uint64_t rows = fused.shape[0];
    uint64_t sum = 0;
    for (const Part& part : parts)
        sum += part.rows;
    if (sum != rows)
        return Error{Code::corrupt, concat("tensor ", shown(fused.name), " has ", rows,
                                           " rows; its parts need ", sum)};
    const size_t each = is_bias ? row_bytes(fused.dtype, 1) : row_bytes(fused.dtype, fused.cols());
    uint64_t begin = 0;
    for (const Part& part : parts) {
        Tensor tensor = fused;
        tensor.name = concat(prefix, part.name, suffix);
        tensor.shape[0] = part.rows;
        tensor.data = fused.data.subspan(begin * each, part.rows * each);
        begin += part.rows;
        out.push_back(std::move(tensor));
    }
    return {};
}

/// Whether the tensor is `kind` of some layer; then prefix and suffix are what surrounds it.
bool is_fused(const Tensor& tensor, std::string_view kind, std::string_view& prefix,
              std::string_view& suffix) {
    const std::string_view name = tensor.name;
    const size_t at = name.find(kind);
    if (!name.starts_with("blk.") || at == name.npos) return false;
    prefix = name.substr(0, at);
    suffix = name.substr(at + kind.size());
    const bool sliceable =
        tensor.shape.size() == 2 || (tensor.shape.size() == 1 && block_elements(tensor.dtype) == 1);
    return sliceable && (suffix == ".weight" || suffix == ".bias");
}

}  // namespace

std::vector<NeededWeight> needed_weights(const ModelConfig& c) {
    const uint64_t d = c.d_model, vocab = c.vocab;
    std::vector<NeededWeight> out = {{"token_embd.weight", {vocab, d}},
                                     {"output_norm.weight", {d}}};
    if (!c.tied_embeddings) out.push_back({"output.weight", {vocab, d}});
    for (uint32_t layer = 0; layer < c.layers; ++layer)
        for (NeededWeight& weight : layer_weights(c))
            out.push_back({concat("blk.", layer, ".", weight.name), std::move(weight.shape)});
    return out;
}

std::optional<std::string> name_from_hugging_face(std::string_view name) {
    std::string_view rest = name;
    while (take_prefix(rest, "model.") || take_prefix(rest, "language_model.")) {
    }
    for (const std::string_view part : kOtherParts)
        if (rest.starts_with(part)) return std::nullopt;
    if (rest.ends_with("rotary_emb.inv_freq")) return std::nullopt;
    for (const Renaming& renaming : kTopNames)
        if (rest == renaming.from) return std::string(renaming.to);
    std::string_view in_layers = rest;
    if (take_prefix(in_layers, "layers."))
        if (auto known = layer_name(in_layers)) return known;
    return std::string(name);
}

Result<std::vector<Tensor>> split_fused(std::vector<Tensor> tensors, const ModelConfig& c) {
    const uint64_t q = uint64_t{c.heads} * c.head_dim, kv = uint64_t{c.kv_heads} * c.head_dim;
    const Part qkv[] = {{"attn_q", q}, {"attn_k", kv}, {"attn_v", kv}};
    const Part gate_up[] = {{"ffn_gate", c.d_ff}, {"ffn_up", c.d_ff}};
    std::vector<Tensor> out;
    for (Tensor& tensor : tensors) {
        std::string_view prefix, suffix;
        if (is_fused(tensor, "attn_qkv", prefix, suffix))
            TRY(cut(tensor, prefix, suffix, qkv, out));
        else if (is_fused(tensor, "ffn_gate_up", prefix, suffix))
            TRY(cut(tensor, prefix, suffix, gate_up, out));
        else
            out.push_back(std::move(tensor));
    }
    return out;
}

}  // namespace brigada
