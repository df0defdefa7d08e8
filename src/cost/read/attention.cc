#include "cost/read/attention.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

/// DeepSeek's indexer keeps one key per position in fp8, with an fp32 scale.
uint32_t indexer_key_bytes(uint32_t dim) {
    return dim == 0 ? 0 : dim + 4;
}

Result<void> check_head_split(const ConfigFields& fields, uint32_t heads, uint32_t kv_heads) {
    if (kv_heads != 0 && heads % kv_heads == 0) return {};
    return Error{Code::corrupt, concat(fields.what(), ": num_attention_heads ", heads,
                                       " cannot share num_key_value_heads ", kv_heads, " evenly")};
}

}  // namespace

Result<AttentionReader> AttentionReader::read(const ConfigFields& fields, ModelMeasures& measures,
                                              uint32_t window) {
    AttentionReader reader;
    reader.d_model_ = measures.d_model;
    reader.window_ = window;
    reader.norms_ = measures.traits.norms;
    TRY(reader.read_heads(fields, measures));
    TRY(reader.read_window_heads(fields));
    TRY(reader.read_global_heads(fields));
    TRY(reader.read_latent(fields, measures));
    TRY(reader.read_indexer(fields, measures));
    TRY(reader.read_small_parts(fields, measures));
    TRY(const uint32_t shared, fields.count_or({"num_kv_shared_layers"}, measures.layers, 0));
    reader.first_shared_ = measures.layers - shared;
    return reader;
}

Result<void> AttentionReader::read_heads(const ConfigFields& fields,
                                         const ModelMeasures& measures) {
    TRY(full_.heads, fields.needed({"num_attention_heads", "n_head"}, kMostHeads));
    TRY(full_.kv_heads, fields.count_or({"num_key_value_heads"}, kMostHeads, full_.heads));
    TRY(const auto stated, fields.count({"head_dim", "attention_head_dim"}, kMostWidth));
    const bool divides = measures.d_model % full_.heads == 0;
    uint32_t dim = stated.value_or(measures.traits.head_dim);
    if (dim == 0 && divides) dim = measures.d_model / full_.heads;
    if (dim == 0 && !fields.has("kv_lora_rank"))
        return Error{Code::corrupt,
                     concat(fields.what(), ": has no head_dim, and hidden_size ", measures.d_model,
                            " is not a multiple of ", "num_attention_heads ", full_.heads)};
    full_.key_dim = dim;
    TRY(full_.value_dim, fields.count_or({"v_head_dim"}, kMostWidth, dim));
    return check_head_split(fields, full_.heads, full_.kv_heads);
}

/// MiMo's windows have head counts of their own.
Result<void> AttentionReader::read_window_heads(const ConfigFields& fields) {
    windowed_ = full_;
    TRY(windowed_.heads, fields.count_or({"swa_num_attention_heads"}, kMostHeads, full_.heads));
    TRY(windowed_.kv_heads,
        fields.count_or({"swa_num_key_value_heads"}, kMostHeads, full_.kv_heads));
    TRY(windowed_.key_dim, fields.count_or({"swa_head_dim"}, kMostWidth, full_.key_dim));
    TRY(windowed_.value_dim, fields.count_or({"swa_v_head_dim"}, kMostWidth, full_.value_dim));
    return check_head_split(fields, windowed_.heads, windowed_.kv_heads);
}

/// Gemma 4's full layers have heads of their own, and values that are the keys.
Result<void> AttentionReader::read_global_heads(const ConfigFields& fields) {
    TRY(const uint32_t dim, fields.count_or({"global_head_dim"}, kMostWidth, 0));
    if (dim != 0) full_.key_dim = full_.value_dim = dim;
    TRY(full_.kv_heads,
        fields.count_or({"num_global_key_value_heads"}, kMostHeads, full_.kv_heads));
    TRY(full_.value_is_key, fields.flag_or("attention_k_eq_v", false));
    return check_head_split(fields, full_.heads, full_.kv_heads);
}

Result<void> AttentionReader::read_latent(const ConfigFields& fields, ModelMeasures&) {
    TRY(latent_.rank, fields.count_or({"kv_lora_rank"}, kMostWidth, 0));
    if (latent_.rank == 0) return {};
    TRY(latent_.query_rank, fields.count_or({"q_lora_rank"}, kMostWidth, 0));
    TRY(latent_.nope, fields.needed({"qk_nope_head_dim"}, kMostWidth));
    TRY(latent_.rope, fields.count_or({"qk_rope_head_dim"}, kMostWidth, 0));
    TRY(latent_.value_dim, fields.needed({"v_head_dim"}, kMostWidth));
    TRY(latent_.output_gate, fields.flag_or("mla_use_output_gate", false));
    TRY(const auto whole, fields.count({"qk_head_dim"}, kMostWidth));
    if (whole && *whole != latent_.nope + latent_.rope)
        return Error{Code::corrupt, concat(fields.what(), ": qk_head_dim ", *whole, " is not ",
                                           "qk_nope_head_dim ", latent_.nope,
                                           " + qk_rope_head_dim ", latent_.rope)};
    return {};
}

Result<void> AttentionReader::read_indexer(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(latent_.indexer_dim, fields.count_or({"index_head_dim"}, kMostWidth, 0));
    if (latent_.indexer_dim == 0) return {};
    TRY(latent_.indexer_heads, fields.needed({"index_n_heads"}, kMostHeads));
    TRY(latent_.indexer_top, fields.count_or({"index_topk"}, kMostTokens, 0));
    TRY(const auto types, fields.texts("indexer_types", measures.layers));
    for (const std::string& type : types)
        indexer_shared_.push_back(type == "shared");
    if (std::ranges::find(types, "shared") != types.end())
        measures.assume(
            "layers that use another layer's sparse indexer keep an indexer key all the same, as "
            "engines allocate it");
    return {};
}

Result<void> AttentionReader::read_small_parts(const ConfigFields& fields,
                                               const ModelMeasures& measures) {
    const ArchitectureTraits& traits = measures.traits;
    TRY(qkv_bias_, fields.flag_or("attention_bias", traits.qkv_bias));
    output_bias_ = qkv_bias_ && traits.output_bias;
    TRY(gate_, fields.flag_or("attn_output_gate", traits.output_gate));
    sinks_ = traits.type == "gpt_oss";
    qk_norm_ = traits.qk_norm;
    TRY(const bool norm, fields.flag_or("use_qk_norm", qk_norm_ != QkNorm::none));
    if (!norm) qk_norm_ = QkNorm::none;
    if (norm && qk_norm_ == QkNorm::none && traits.type != "llama4_text") qk_norm_ = QkNorm::heads;
    return {};
}

MixerGeometry AttentionReader::heads_mixer(const Heads& h, uint32_t window, bool owns_kv) const {
    const uint64_t queries = uint64_t{h.heads} * h.key_dim;
    const uint64_t keys = uint64_t{h.kv_heads} * h.key_dim;
    const uint64_t values = uint64_t{h.kv_heads} * h.value_dim;
    const uint64_t outputs = uint64_t{h.heads} * h.value_dim;
    MixerGeometry m{.heads = h.heads};
    m.params = d_model_ * (queries * (gate_ ? 2 : 1) + outputs);
    if (owns_kv) m.params += d_model_ * (keys + (h.value_is_key ? 0 : values));
    if (qkv_bias_) m.params += queries + keys + values;
    if (output_bias_) m.params += d_model_;
    if (sinks_) m.params += h.heads;
    m.whole_params = norms_ * d_model_;
    if (qk_norm_ == QkNorm::heads) m.whole_params += 2 * uint64_t{h.key_dim};
    if (qk_norm_ == QkNorm::whole) m.whole_params += queries + keys;
    m.params += m.whole_params;
    if (owns_kv)
        m.kv = HeadsKv{.kv_heads = h.kv_heads,
                       .key_dim = h.key_dim,
                       .value_dim = h.value_dim,
                       .window = window};
    return m;
}

MixerGeometry AttentionReader::latent_mixer(bool has_indexer) const {
    const Latent& l = latent_;
    const uint64_t heads = full_.heads;
    const uint64_t query_width = l.query_rank ? l.query_rank : d_model_;
    MixerGeometry m{.heads = full_.heads};
    m.whole_params = norms_ * d_model_ + d_model_ * (uint64_t{l.rank} + l.rope) + l.rank;
    if (l.query_rank) m.whole_params += d_model_ * l.query_rank + l.query_rank;
    if (l.indexer_dim && has_indexer)
        m.whole_params += query_width * l.indexer_heads * l.indexer_dim +
                          d_model_ * (uint64_t{l.indexer_dim} + l.indexer_heads) +
                          2 * uint64_t{l.indexer_dim};
    const uint64_t outputs = heads * l.value_dim;
    m.params = m.whole_params + query_width * heads * (l.nope + l.rope) +
               uint64_t{l.rank} * heads * (uint64_t{l.nope} + l.value_dim) + outputs * d_model_;
    if (l.output_gate) m.params += d_model_ * outputs;
    m.kv = LatentKv{.latent = l.rank,
                    .rope = l.rope,
                    .nope = l.nope,
                    .value_dim = l.value_dim,
                    .indexer_bytes = indexer_key_bytes(l.indexer_dim),
                    .indexer_heads = l.indexer_heads,
                    .indexer_top = l.indexer_top};
    return m;
}

MixerGeometry AttentionReader::mixer(uint32_t i, LookBack look) const {
    if (latent_.rank != 0) return latent_mixer(indexer_shared_.empty() || !indexer_shared_[i]);
    const bool windowed = look == LookBack::window;
    return heads_mixer(windowed ? windowed_ : full_, windowed ? window_ : 0, i < first_shared_);
}

}  // namespace brigada
