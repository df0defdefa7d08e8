#include "model/config_check.h"

#include <cmath>
#include <limits>

#include "base/concat.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// A measure and the greatest value that is believed: an order of magnitude over any model known.
struct Measure {
    std::string_view name;
    uint64_t value;
    uint64_t most;
};

Result<void> check_measures(const ModelConfig& c, std::string_view what) {
    const Measure measures[] = {
        {"vocabulary", c.vocab, 1 << 24},
        {"embedding length", c.d_model, 1 << 20},
        {"layers", c.layers, 1 << 12},
        {"attention heads", c.heads, 1 << 14},
        {"KV heads", c.kv_heads, 1 << 14},
        {"head dimension", c.head_dim, 1 << 13},
        {"feed-forward length", c.d_ff, 1 << 22},
        {"context length", c.max_context, 1 << 30},
    };
    for (const Measure& m : measures)
        if (m.value == 0 || m.value > m.most)
            return Error{Code::corrupt, concat(what, ": ", m.name, " is ", m.value, "; 1 to ",
                                               m.most, " is possible")};
    return {};
}

Result<void> check_attention(const ModelConfig& c, std::string_view what) {
    if (c.heads % c.kv_heads != 0)
        return Error{Code::corrupt, concat(what, ": ", c.heads, " attention heads cannot share ",
                                           c.kv_heads, " KV heads evenly")};
    if (c.layer_kinds.size() != c.layers)
        return Error{Code::corrupt, concat(what, ": says of ", c.layer_kinds.size(), " of ",
                                           c.layers, " layers how they attend")};
    for (const LayerKind& kind : c.layer_kinds)
        if (const auto* window = std::get_if<WindowAttention>(&kind); window && window->tokens == 0)
            return Error{Code::corrupt, concat(what, ": a sliding window of 0 tokens")};
    if (!(c.norm_eps > 0) || c.norm_eps > 1)
        return Error{Code::corrupt, concat(what, ": RMSNorm epsilon is ", c.norm_eps,
                                           "; a small positive number is needed")};
    return {};
}

bool all_finite_and_positive(const std::vector<float>& values) {
    for (const float v : values)
        if (!std::isfinite(v) || v < 0) return false;
    return true;
}

/// The number of factors that the scaling brings, if it brings any, must be the number of pairs.
Result<void> check_factor_count(const Rope& rope, std::string_view what) {
    const auto check = [&](const std::vector<float>& factors) -> Result<void> {
        if (factors.size() == rope.dims / 2) return {};
        return Error{Code::corrupt, concat(what, ": ", factors.size(), " RoPE factors for ",
                                           rope.dims / 2, " pairs of dimensions")};
    };
    if (const auto* s = std::get_if<RopeFactors>(&rope.scaling)) return check(s->factors);
    const auto* s = std::get_if<RopeLong>(&rope.scaling);
    if (!s) return {};
    TRY(check(s->short_factors));
    return check(s->long_factors);
}

Result<void> check_rope(const ModelConfig& c, std::string_view what) {
    const Rope& rope = c.rope;
    if (rope.dims < 2 || rope.dims % 2 != 0 || rope.dims > c.head_dim)
        return Error{Code::corrupt,
                     concat(what, ": RoPE turns ", rope.dims, " dimensions of a head; ",
                            "an even number up to ", c.head_dim, " is possible")};
    TRY(check_factor_count(rope, what));
    const float attention_factor = rope_attention_factor(rope, c.max_context);
    if (!all_finite_and_positive(rope_inverse_frequencies(rope, c.max_context)) ||
        !std::isfinite(attention_factor) || attention_factor <= 0)
        return Error{Code::corrupt,
                     concat(what, ": RoPE with base ", rope.theta, " and scaling ",
                            to_string(rope.scaling), " gives no finite frequencies")};
    return {};
}

}  // namespace

std::string_view to_string(Architecture architecture) {
    switch (architecture) {
        case Architecture::llama:
            return "llama";
        case Architecture::mistral:
            return "mistral";
        case Architecture::qwen2:
            return "qwen2";
        case Architecture::qwen3:
            return "qwen3";
    }
    return "";
}

Result<void> check_config(const ModelConfig& config, std::string_view what) {
    TRY(check_measures(config, what));
    TRY(check_attention(config, what));
    return check_rope(config, what);
}

Error unsupported_architecture(std::string_view what, std::string_view name) {
    return {Code::unsupported, concat(what, ": architecture ", shown(name),
                                      " does not run here; llama, mistral, qwen2 and qwen3 do")};
}

Result<uint32_t> as_u32(uint64_t value, std::string_view what, std::string_view key) {
    if (value <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(value);
    return Error{Code::corrupt, concat(what, ": ", key, " is ", value, "; at most ",
                                       std::numeric_limits<uint32_t>::max(), " is possible")};
}

}  // namespace brigada
