#include "cost/read/state_mixer.h"

#include "base/concat.h"

namespace brigada {

namespace {

/// The convolution before a state keeps the last taps - 1 inputs, in the numbers of the model.
constexpr uint64_t kConvolutionBytes = 2;

uint64_t convolution_state(uint64_t width, uint32_t taps) {
    return width * (taps - 1) * kConvolutionBytes;
}

/// Bytes of a number of the state.
Result<uint64_t> state_number_bytes(const ConfigFields& fields, ModelMeasures& measures) {
    for (const std::string_view key : {"mamba_ssm_cache_dtype", "mamba_ssm_dtype"}) {
        TRY(const std::string name, fields.text_or(key, ""));
        if (name.empty()) continue;
        if (name == "float32") return uint64_t{4};
        if (name == "bfloat16" || name == "float16") return uint64_t{2};
        return fields.wrong(key, "float32, bfloat16 or float16");
    }
    measures.assume(
        "the state of linear layers is kept in bf16, as engines do where no "
        "mamba_ssm_dtype is given");
    return uint64_t{2};
}

Result<uint32_t> read_taps(const ConfigFields& fields, ConfigFields::Names names) {
    TRY(const uint32_t taps, fields.count_or(names, 1 << 10, 4));
    if (taps == 0) return fields.wrong(*names.begin(), "1 or more");
    return taps;
}

/// Q, K, V and a gate of their own widths; a state of value_dim x key_dim per value head.
Result<MixerGeometry> read_gated_delta(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(const uint64_t key_heads, fields.needed({"linear_num_key_heads"}, kMostHeads));
    TRY(const uint64_t value_heads, fields.needed({"linear_num_value_heads"}, kMostHeads));
    TRY(const uint64_t key_dim, fields.needed({"linear_key_head_dim"}, kMostInner >> 8));
    TRY(const uint64_t value_dim, fields.needed({"linear_value_head_dim"}, kMostInner >> 8));
    TRY(const uint32_t taps, read_taps(fields, {"linear_conv_kernel_dim"}));
    TRY(const uint64_t number, state_number_bytes(fields, measures));
    const uint64_t d = measures.d_model;
    const uint64_t values = value_heads * value_dim;
    const uint64_t mixed = 2 * key_heads * key_dim + values;
    MixerGeometry m{.heads = static_cast<uint32_t>(value_heads),
                    .matrix = "linear_attn.in_proj_qkv"};
    m.whole_params = measures.traits.norms * d + value_dim;
    m.params = m.whole_params + d * (mixed + values + 2 * value_heads) + mixed * taps +
               2 * value_heads + values * d;
    m.kv = StateKv{value_heads * value_dim * key_dim * number + convolution_state(mixed, taps)};
    return m;
}

/// Q, K and V as wide as all heads, each with a convolution; decay and output gates, either full
/// matrices or of the rank of a head; the state in fp32.
Result<MixerGeometry> read_kimi_delta(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(const ConfigFields linear, fields.inside("linear_attn_config"));
    TRY(const uint64_t heads, linear.needed({"num_heads"}, kMostHeads));
    TRY(const uint64_t dim, linear.needed({"head_dim"}, kMostInner >> 8));
    TRY(const uint32_t taps, read_taps(linear, {"short_conv_kernel_size"}));
    TRY(const bool full_gate, linear.flag_or("use_full_rank_gate", false));
    const uint64_t d = measures.d_model;
    const uint64_t width = heads * dim;
    const uint64_t low_rank = d * dim + dim * width;
    MixerGeometry m{.heads = static_cast<uint32_t>(heads)};
    m.whole_params = measures.traits.norms * d + dim;
    m.params = m.whole_params + 4 * d * width + 3 * width * taps + low_rank +
               (full_gate ? d * width : low_rank) + d * heads + heads + width;
    m.kv = StateKv{heads * dim * dim * 4 + 3 * convolution_state(width, taps)};
    return m;
}

Result<MixerGeometry> read_mamba1(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(const uint64_t expand, fields.count_or({"mamba_expand"}, 64, 2));
    TRY(const uint64_t state, fields.needed({"mamba_d_state"}, kMostWidth));
    TRY(const uint32_t taps, read_taps(fields, {"mamba_d_conv"}));
    const uint64_t d = measures.d_model;
    TRY(const uint64_t rank, fields.count_or({"mamba_dt_rank"}, kMostWidth, (d + 15) / 16));
    TRY(const uint64_t number, state_number_bytes(fields, measures));
    const uint64_t inner = expand * d;
    MixerGeometry m{.matrix = "mamba.in_proj"};
    m.whole_params = measures.traits.norms * d + rank + 2 * state;
    m.params = m.whole_params + 2 * d * inner + inner * (taps + 1) + inner * (rank + 2 * state) +
               rank * inner + inner + inner * state + inner + inner * d;
    m.kv = StateKv{inner * state * number + convolution_state(inner, taps)};
    return m;
}

}  // namespace

/// One matrix makes gate, input, B, C and the steps; one scalar decay per head.
Result<MixerGeometry> read_mamba2(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(const uint64_t heads, fields.needed({"mamba_num_heads", "mamba_n_heads"}, kMostHeads));
    TRY(const uint64_t dim, fields.needed({"mamba_head_dim", "mamba_d_head"}, kMostInner >> 8));
    TRY(const uint64_t state, fields.needed({"ssm_state_size", "mamba_d_state"}, kMostWidth));
    TRY(const uint64_t groups,
        fields.needed({"n_groups", "mamba_n_groups", "mamba_num_groups"}, kMostHeads));
    TRY(const uint32_t taps, read_taps(fields, {"conv_kernel", "mamba_d_conv"}));
    TRY(const uint64_t number, state_number_bytes(fields, measures));
    const uint64_t d = measures.d_model;
    const uint64_t inner = heads * dim;
    const uint64_t mixed = inner + 2 * groups * state;
    MixerGeometry m{.matrix = "mixer.in_proj"};
    m.whole_params = measures.traits.norms * d;
    m.params = m.whole_params + d * (inner + mixed + heads) + mixed * (taps + 1) + 3 * heads +
               inner + inner * d;
    m.kv = StateKv{inner * state * number + convolution_state(mixed, taps)};
    return m;
}

Result<MixerGeometry> read_state_mixer(const ConfigFields& fields, ModelMeasures& measures) {
    if (fields.has("linear_num_value_heads")) return read_gated_delta(fields, measures);
    if (fields.has("linear_attn_config")) return read_kimi_delta(fields, measures);
    if (fields.has("mamba_num_heads") || fields.has("mamba_n_heads"))
        return read_mamba2(fields, measures);
    if (fields.has("mamba_d_state")) return read_mamba1(fields, measures);
    return Error{Code::unsupported,
                 concat(fields.what(),
                        ": has layers with a state, of no kind that is known: "
                        "linear_num_value_heads (Gated DeltaNet), "
                        "linear_attn_config (Kimi Delta Attention), "
                        "mamba_num_heads (Mamba 2) or mamba_d_state (Mamba 1) is "
                        "needed")};
}

}  // namespace brigada
