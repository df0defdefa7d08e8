// The config of a GGUF file: keys under the architecture's name, and what the presence of a tensor
// says.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/concat.h"
#include "model/config.h"
#include "model/config_check.h"
#include "model/dequantise.h"
#include "model/gguf.h"
#include "model/shown.h"

namespace brigada {

namespace {

constexpr std::string_view kRopeFreqs = "rope_freqs.weight";
constexpr std::string_view kRopeLong = "rope_factors_long.weight";
constexpr std::string_view kRopeShort = "rope_factors_short.weight";

/// The keys of one architecture: number("rope.freq_base") reads llama.rope.freq_base.
class Keys {
  public:
    Keys(const GgufFile& file, std::string_view architecture)
        : file_(file), architecture_(architecture) {}

    const std::string& name() const { return file_.name(); }
    std::string full(std::string_view key) const { return concat(architecture_, ".", key); }
    bool has(std::string_view key) const { return file_.entry(full(key)) != nullptr; }

    Result<std::optional<uint32_t>> u32(std::string_view key) const {
        TRY(auto value, file_.unsigned_integer(full(key)));
        if (!value) return std::optional<uint32_t>();
        TRY(uint32_t narrow, as_u32(*value, name(), full(key)));
        return std::optional(narrow);
    }

    Result<uint32_t> needed_u32(std::string_view key) const {
        TRY(auto value, u32(key));
        if (!value) return Error{Code::corrupt, concat(name(), ": has no ", full(key))};
        return *value;
    }

    Result<double> number_or(std::string_view key, double otherwise) const {
        TRY(auto value, file_.number(full(key)));
        return value.value_or(otherwise);
    }

    Result<std::optional<double>> number(std::string_view key) const {
        return file_.number(full(key));
    }

    Result<std::optional<std::string_view>> string(std::string_view key) const {
        return file_.string(full(key));
    }

    /// One number for all layers, or an array that says the same number for each.
    Result<std::optional<uint32_t>> u32_of_layers(std::string_view key) const {
        const GgufEntry* entry = file_.entry(full(key));
        if (!entry || !std::holds_alternative<GgufArray>(entry->value)) return u32(key);
        TRY(auto values, file_.integers(full(key)));
        if (values->empty() ||
            std::ranges::adjacent_find(*values, std::not_equal_to()) != values->end())
            return Error{Code::unsupported, concat(name(), ": ", full(key),
                                                   " differs between layers, "
                                                   "which does not run here")};
        if (values->front() < 0)
            return Error{Code::corrupt, concat(name(), ": ", full(key), " is ", values->front())};
        TRY(uint32_t narrow, as_u32(static_cast<uint64_t>(values->front()), name(), full(key)));
        return std::optional(narrow);
    }

    Result<uint32_t> needed_u32_of_layers(std::string_view key) const {
        TRY(auto value, u32_of_layers(key));
        if (!value) return Error{Code::corrupt, concat(name(), ": has no ", full(key))};
        return *value;
    }

    const GgufFile& file() const { return file_; }

  private:
    const GgufFile& file_;
    std::string_view architecture_;
};

/// GGUF calls mistral's models llama: after conversion they are the same.
std::optional<Architecture> architecture_of(std::string_view name) {
    for (Architecture a : {Architecture::llama, Architecture::qwen2, Architecture::qwen3})
        if (to_string(a) == name) return a;
    return std::nullopt;
}

/// Converters permute the query and key rows of llama, so that pairs are neighbours.
RopePairing pairing_of(Architecture a) {
    return a == Architecture::llama ? RopePairing::adjacent : RopePairing::halves;
}

Result<void> read_measures(const Keys& keys, ModelConfig& c) {
    const Tensor* embedding = keys.file().tensor("token_embd.weight");
    if (!embedding)
        return Error{Code::corrupt, concat(keys.name(), ": has no tensor token_embd.weight")};
    TRY(c.vocab, as_u32(embedding->rows(), keys.name(), "rows of token_embd.weight"));
    TRY(c.d_model, keys.needed_u32("embedding_length"));
    TRY(c.layers, keys.needed_u32("block_count"));
    TRY(c.d_ff, keys.needed_u32_of_layers("feed_forward_length"));
    TRY(c.max_context, keys.needed_u32("context_length"));
    TRY(double eps, keys.number_or("attention.layer_norm_rms_epsilon", 0));
    c.norm_eps = static_cast<float>(eps);
    return {};
}

Result<void> read_heads(const Keys& keys, ModelConfig& c) {
    TRY(c.heads, keys.needed_u32_of_layers("attention.head_count"));
    TRY(auto kv_heads, keys.u32_of_layers("attention.head_count_kv"));
    c.kv_heads = kv_heads.value_or(c.heads);
    TRY(auto key_length, keys.u32("attention.key_length"));
    if (!key_length && (c.heads == 0 || c.d_model % c.heads != 0))
        return Error{Code::corrupt,
                     concat(keys.name(), ": ", c.heads, " heads do not divide an ", "embedding of ",
                            c.d_model, ", and ", keys.full("attention.key_length"), " is absent")};
    c.head_dim = key_length ? *key_length : c.d_model / c.heads;
    TRY(auto value_length, keys.u32("attention.value_length"));
    if (value_length.value_or(c.head_dim) != c.head_dim)
        return Error{Code::unsupported,
                     concat(keys.name(), ": keys of ", c.head_dim, " and values of ", *value_length,
                            " numbers per head, which do not run here")};
    return {};
}

Result<void> refuse_experts(const Keys& keys) {
    TRY(auto experts, keys.u32("expert_count"));
    if (experts.value_or(0) == 0) return {};
    return Error{Code::unsupported,
                 concat(keys.name(), ": a mixture of ", *experts,
                        " experts does not "
                        "run here; dense llama, mistral, qwen2 and qwen3 models do")};
}

Result<std::vector<float>> factors_of(const Keys& keys, std::string_view tensor_name) {
    const Tensor* tensor = keys.file().tensor(tensor_name);
    if (!tensor || tensor->shape.size() != 1)
        return Error{Code::corrupt, concat(keys.name(), ": has no vector ", tensor_name)};
    if (tensor->cols() > (1 << 13))
        return Error{Code::corrupt, concat(keys.name(), ": ", tensor_name, " has ", tensor->cols(),
                                           " numbers, more than a head can have")};
    return dequantise(*tensor);
}

Result<RopeYarn> read_yarn(const Keys& keys, double factor, uint64_t original_context) {
    RopeYarn yarn{.factor = factor, .original_context = original_context};
    TRY(yarn.beta_fast, keys.number_or("rope.scaling.yarn_beta_fast", yarn.beta_fast));
    TRY(yarn.beta_slow, keys.number_or("rope.scaling.yarn_beta_slow", yarn.beta_slow));
    TRY(auto attention, keys.number("rope.scaling.attn_factor"));
    // In GGUF it multiplies YaRN's own factor; here it replaces it.
    if (attention) yarn.attention_factor = *attention * (1 + 0.1 * std::log(factor));
    return yarn;
}

Result<RopeScaling> read_scaling(const Keys& keys, const ModelConfig& c) {
    if (keys.file().tensor(kRopeFreqs)) {
        TRY(auto factors, factors_of(keys, kRopeFreqs));
        return RopeScaling(RopeFactors{std::move(factors)});
    }
    TRY(double old_factor, keys.number_or("rope.scale_linear", 1));
    TRY(double factor, keys.number_or("rope.scaling.factor", old_factor));
    TRY(auto original, keys.u32("rope.scaling.original_context_length"));
    const uint64_t original_context = original.value_or(c.max_context);
    TRY(auto type, keys.string("rope.scaling.type"));
    const std::string_view kind = type ? *type : factor != 1 ? "linear" : "none";
    if (kind == "none") return RopeScaling(RopeUnscaled{});
    if (kind == "linear") return RopeScaling(RopeLinear{factor});
    if (kind == "yarn") {
        TRY(RopeYarn yarn, read_yarn(keys, factor, original_context));
        return RopeScaling(yarn);
    }
    if (kind == "longrope") {
        RopeLong longrope{.original_context = original_context,
                          .factor = static_cast<double>(c.max_context) /
                                    static_cast<double>(std::max<uint64_t>(original_context, 1))};
        TRY(longrope.short_factors, factors_of(keys, kRopeShort));
        TRY(longrope.long_factors, factors_of(keys, kRopeLong));
        TRY(longrope.attention_factor, keys.number("rope.scaling.attn_factor"));
        return RopeScaling(std::move(longrope));
    }
    return Error{Code::unsupported, concat(keys.name(), ": RoPE scaling ", shown(kind),
                                           " does not run "
                                           "here; none, linear, yarn and longrope do")};
}

Result<void> read_rope(const Keys& keys, ModelConfig& c) {
    c.rope.pairing = pairing_of(c.architecture);
    TRY(c.rope.theta, keys.number_or("rope.freq_base", 10000));
    TRY(auto dims, keys.u32("rope.dimension_count"));
    c.rope.dims = dims.value_or(c.head_dim);
    TRY(c.rope.scaling, read_scaling(keys, c));
    return {};
}

/// A window without a pattern is every layer's; a pattern is a claim per layer, or a number n:
/// every n-th layer attends to all.
Result<void> read_layer_kinds(const Keys& keys, ModelConfig& c) {
    c.layer_kinds.assign(c.layers, FullAttention{});
    TRY(auto window, keys.u32("attention.sliding_window"));
    if (window.value_or(0) == 0) return {};
    constexpr std::string_view kPattern = "attention.sliding_window_pattern";
    const GgufEntry* pattern = keys.file().entry(keys.full(kPattern));
    if (pattern && std::holds_alternative<GgufArray>(pattern->value)) {
        TRY(auto slides, keys.file().booleans(keys.full(kPattern)));
        if (slides->size() != c.layers)
            return Error{Code::corrupt,
                         concat(keys.name(), ": ", keys.full(kPattern), " speaks of ",
                                slides->size(), " of ", c.layers, " layers")};
        for (size_t i = 0; i < c.layers; ++i)
            if ((*slides)[i]) c.layer_kinds[i] = WindowAttention{*window};
        return {};
    }
    TRY(auto every, keys.u32(kPattern));
    for (size_t i = 0; i < c.layers; ++i)
        if (every.value_or(0) == 0 || i % *every != *every - 1)
            c.layer_kinds[i] = WindowAttention{*window};
    return {};
}

void read_features(const GgufFile& file, ModelConfig& c) {
    const auto has = [&file](std::string_view name) { return file.tensor(name) != nullptr; };
    c.tied_embeddings = !has("output.weight");
    c.qk_norm = has("blk.0.attn_q_norm.weight");
    c.qkv_bias = has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias");
    c.attention_output_bias = has("blk.0.attn_output.bias");
    c.mlp_bias = has("blk.0.ffn_down.bias");
}

}  // namespace

Result<ModelConfig> config_from_gguf(const GgufFile& file) {
    TRY(auto architecture, file.string("general.architecture"));
    if (!architecture)
        return Error{Code::corrupt, concat(file.name(), ": has no general.architecture")};
    const auto known = architecture_of(*architecture);
    if (!known) return unsupported_architecture(file.name(), *architecture);
    TRY(auto name, file.string("general.name"));

    const Keys keys(file, *architecture);
    TRY(refuse_experts(keys));
    ModelConfig config;
    config.architecture = *known;
    config.name = name ? std::string(*name) : Path(file.name()).stem().string();
    TRY(read_measures(keys, config));
    if (config.layers > (1 << 12))
        return Error{Code::corrupt,
                     concat(file.name(), ": says it has ", config.layers, " layers")};
    TRY(read_heads(keys, config));
    TRY(read_rope(keys, config));
    TRY(read_layer_kinds(keys, config));
    read_features(file, config);
    TRY(check_config(config, file.name()));
    return config;
}

}  // namespace brigada
