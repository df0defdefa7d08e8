#include "model/describe.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/concat.h"
#include "base/joined.h"

namespace brigada {

namespace {

constexpr std::array kKvNumbers = {KvNumber::f32, KvNumber::f16, KvNumber::bf16};

/// Lengths worth a line in the table: chat, documents, agents.
constexpr std::array<uint64_t, 7> kLengths = {1'024,  4'096,   8'192,  16'384,
                                              32'768, 100'000, 131'072};

/// Keys and values of one token in one layer.
uint64_t kv_bytes_per_layer(const ModelConfig& c, KvNumber number) {
    return 2 * uint64_t{c.kv_heads} * c.head_dim * bytes_of(number);
}

/// Tokens that a layer keeps of a sequence.
uint64_t kept_tokens(const LayerKind& kind, uint64_t tokens) {
    const auto* window = std::get_if<WindowAttention>(&kind);
    return window ? std::min<uint64_t>(window->tokens, tokens) : tokens;
}

/// "1.24" and the unit of the power of 1000.
std::string scaled(uint64_t n, std::span<const std::string_view> units) {
    double value = static_cast<double>(n);
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value,
                       unit == 0 || value >= 99.95 ? 0
                       : value >= 9.995            ? 1
                                                   : 2,
                       units[unit]);
}

std::string windows_text(const ModelFacts& facts) {
    std::set<uint32_t> widths;
    for (const LayerKind& kind : facts.config.layer_kinds)
        if (const auto* window = std::get_if<WindowAttention>(&kind)) widths.insert(window->tokens);
    return joined(widths);
}

std::string layers_text(const ModelFacts& facts) {
    if (facts.window_layers == 0) return concat(facts.full_layers, ", all full attention");
    return concat(facts.config.layers, ": ", facts.full_layers, " full attention, ",
                  facts.window_layers, " sliding window (", windows_text(facts), " tokens)");
}

std::string features_text(const ModelConfig& c) {
    std::string out = c.tied_embeddings ? "tied embeddings" : "separate output matrix";
    if (c.qk_norm) out += ", QK norm";
    if (c.qkv_bias) out += ", QKV bias";
    if (c.attention_output_bias) out += ", attention output bias";
    if (c.mlp_bias) out += ", feed-forward bias";
    return out;
}

std::string_view pairing_text(RopePairing pairing) {
    return pairing == RopePairing::adjacent ? "adjacent" : "halves";
}

std::string line(std::string_view name, std::string_view value) {
    return fmt::format("{:<18}{}\n", name, value);
}

/// Memory for KV once the weights are in.
uint64_t kv_budget(const ModelFacts& facts, uint64_t ram_bytes) {
    return ram_bytes > facts.weight_bytes ? ram_bytes - facts.weight_bytes : 0;
}

std::vector<uint64_t> lengths_up_to(uint64_t max_context) {
    std::vector<uint64_t> out;
    for (const uint64_t length : kLengths)
        if (length < max_context) out.push_back(length);
    out.push_back(max_context);
    return out;
}

std::string fits_table(const ModelFacts& facts, KvNumber number, uint64_t ram_bytes) {
    std::string out =
        fmt::format("{:>12}  {:>14}  {:>14}\n", "tokens", "KV/sequence", "fit at once");
    for (const KvFit& fit : kv_fits(facts, number, ram_bytes))
        out += fmt::format("{:>12}  {:>14}  {:>14}\n", fit.tokens,
                           bytes_text(fit.bytes_per_sequence), fit.sequences);
    return out;
}

Json layer_kinds_json(const ModelConfig& c) {
    Json out = Json::array();
    for (const LayerKind& kind : c.layer_kinds) {
        const auto* window = std::get_if<WindowAttention>(&kind);
        out.push_back(window ? Json{{"kind", "sliding_window"}, {"window_tokens", window->tokens}}
                             : Json{{"kind", "full_attention"}});
    }
    return out;
}

}  // namespace

std::string_view to_string(KvNumber number) {
    switch (number) {
        case KvNumber::f32:
            return "f32";
        case KvNumber::f16:
            return "f16";
        case KvNumber::bf16:
            return "bf16";
    }
    return "";
}

uint64_t bytes_of(KvNumber number) {
    return number == KvNumber::f32 ? 4 : 2;
}

uint64_t kv_bytes_per_token(const ModelConfig& c, KvNumber number) {
    return c.layers * kv_bytes_per_layer(c, number);
}

uint64_t kv_bytes_per_growing_token(const ModelConfig& c, KvNumber number) {
    const auto full = std::ranges::count_if(c.layer_kinds, [](const LayerKind& kind) {
        return std::holds_alternative<FullAttention>(kind);
    });
    return static_cast<uint64_t>(full) * kv_bytes_per_layer(c, number);
}

uint64_t kv_bytes_per_sequence(const ModelConfig& c, KvNumber number, uint64_t tokens) {
    uint64_t kept = 0;
    for (const LayerKind& kind : c.layer_kinds)
        kept += kept_tokens(kind, tokens);
    return kept * kv_bytes_per_layer(c, number);
}

uint64_t longest_sequence(const ModelConfig& c, KvNumber number, uint64_t bytes) {
    uint64_t fits = 0, too_long = uint64_t{c.max_context} + 1;
    while (fits + 1 < too_long) {
        const uint64_t middle = fits + (too_long - fits) / 2;
        (kv_bytes_per_sequence(c, number, middle) <= bytes ? fits : too_long) = middle;
    }
    return fits;
}

ModelFacts facts_of(const ModelConfig& config, std::span<const Tensor> tensors) {
    ModelFacts facts;
    facts.config = config;
    std::array<DTypeShare, kAllDTypes.size()> shares{};
    for (const Tensor& tensor : tensors) {
        DTypeShare& share = shares[static_cast<size_t>(tensor.dtype)];
        share.dtype = tensor.dtype;
        share.tensors += 1;
        share.elements += tensor.elements();
        share.bytes += tensor.data.size();
    }
    for (const DTypeShare& share : shares) {
        facts.parameters += share.elements;
        facts.weight_bytes += share.bytes;
        if (share.tensors > 0) facts.dtypes.push_back(share);
    }
    for (const LayerKind& kind : config.layer_kinds)
        ++(std::holds_alternative<FullAttention>(kind) ? facts.full_layers : facts.window_layers);
    return facts;
}

ModelFacts facts_of(const Model& model) {
    ModelFacts facts = facts_of(model.config(), model.tensors());
    facts.has_chat_template = !model.chat_template().empty();
    return facts;
}

std::vector<KvFit> kv_fits(const ModelFacts& facts, KvNumber number, uint64_t ram_bytes) {
    std::vector<KvFit> out;
    for (const uint64_t tokens : lengths_up_to(facts.config.max_context)) {
        const uint64_t each = kv_bytes_per_sequence(facts.config, number, tokens);
        out.push_back({tokens, each, kv_budget(facts, ram_bytes) / each});
    }
    return out;
}

std::string count_text(uint64_t count) {
    constexpr std::array<std::string_view, 5> kUnits = {"", "K", "M", "B", "T"};
    std::string out = scaled(count, kUnits);
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

std::string bytes_text(uint64_t bytes) {
    constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KB", "MB", "GB", "TB"};
    return scaled(bytes, kUnits);
}

std::string inspect_text(const ModelFacts& facts) {
    const ModelConfig& c = facts.config;
    std::string out = line("model", c.name);
    out += line("architecture", to_string(c.architecture));
    out += line("parameters", concat(count_text(facts.parameters), " (", facts.parameters, ")"));
    out += line("weights", bytes_text(facts.weight_bytes));
    for (const DTypeShare& share : facts.dtypes)
        out += line("", fmt::format("{:<5} {:>5} tensors  {:>9}", to_string(share.dtype),
                                    share.tensors, bytes_text(share.bytes)));
    out += line("layers", layers_text(facts));
    out += line("width", concat(c.d_model, ", feed-forward ", c.d_ff));
    out +=
        line("attention", concat(c.heads, " heads over ", c.kv_heads, " KV heads of ", c.head_dim));
    out += line("vocabulary", concat(c.vocab));
    out += line("context", concat(c.max_context, " tokens"));
    out +=
        line("RoPE", concat("base ", c.rope.theta, ", ", c.rope.dims, " dimensions, pairs ",
                            pairing_text(c.rope.pairing), ", scaling ", to_string(c.rope.scaling)));
    out += line("features", features_text(c));
    out += line("chat template", facts.has_chat_template ? "yes" : "none");
    out += line("KV per token", concat(kv_bytes_per_token(c, KvNumber::f16), " bytes (f16)"));
    return out;
}

std::string kv_text(const ModelFacts& facts, uint64_t ram_bytes) {
    const ModelConfig& c = facts.config;
    std::string out = line("model", c.name);
    out += line("layers", layers_text(facts));
    for (const KvNumber number : kKvNumbers) {
        std::string value = concat(kv_bytes_per_token(c, number), " bytes per token");
        if (facts.window_layers > 0)
            value +=
                concat(", ", kv_bytes_per_growing_token(c, number), " once the windows are full");
        out += line(concat("KV ", to_string(number)), value);
    }
    const uint64_t budget = kv_budget(facts, ram_bytes);
    out += line("memory", concat(bytes_text(ram_bytes), ", less ", bytes_text(facts.weight_bytes),
                                 " of weights: ", bytes_text(budget), " for KV"));
    out += line("longest sequence",
                concat(longest_sequence(c, KvNumber::f16, budget), " tokens (f16)"));
    return out + "\nf16:\n" + fits_table(facts, KvNumber::f16, ram_bytes);
}

Json inspect_json(const ModelFacts& facts) {
    const ModelConfig& c = facts.config;
    Json dtypes = Json::array();
    for (const DTypeShare& share : facts.dtypes)
        dtypes.push_back({{"dtype", to_string(share.dtype)},
                          {"tensors", share.tensors},
                          {"parameters", share.elements},
                          {"bytes", share.bytes}});
    return {{"name", c.name},
            {"architecture", to_string(c.architecture)},
            {"parameters", facts.parameters},
            {"weight_bytes", facts.weight_bytes},
            {"dtypes", std::move(dtypes)},
            {"vocab", c.vocab},
            {"d_model", c.d_model},
            {"layers", c.layers},
            {"heads", c.heads},
            {"kv_heads", c.kv_heads},
            {"head_dim", c.head_dim},
            {"d_ff", c.d_ff},
            {"max_context_tokens", c.max_context},
            {"norm_eps", c.norm_eps},
            {"tied_embeddings", c.tied_embeddings},
            {"qk_norm", c.qk_norm},
            {"qkv_bias", c.qkv_bias},
            {"attention_output_bias", c.attention_output_bias},
            {"mlp_bias", c.mlp_bias},
            {"rope",
             {{"theta", c.rope.theta},
              {"dims", c.rope.dims},
              {"pairing", pairing_text(c.rope.pairing)},
              {"scaling", to_string(c.rope.scaling)}}},
            {"layer_kinds", layer_kinds_json(c)},
            {"has_chat_template", facts.has_chat_template}};
}

Json kv_json(const ModelFacts& facts, uint64_t ram_bytes) {
    const ModelConfig& c = facts.config;
    const uint64_t budget = kv_budget(facts, ram_bytes);
    Json out = {{"name", c.name},
                {"ram_bytes", ram_bytes},
                {"weight_bytes", facts.weight_bytes},
                {"kv_budget_bytes", budget}};
    for (const KvNumber number : kKvNumbers) {
        Json fits = Json::array();
        for (const KvFit& fit : kv_fits(facts, number, ram_bytes))
            fits.push_back({{"tokens", fit.tokens},
                            {"bytes_per_sequence", fit.bytes_per_sequence},
                            {"sequences", fit.sequences}});
        out[std::string(to_string(number))] = {
            {"bytes_per_token", kv_bytes_per_token(c, number)},
            {"bytes_per_growing_token", kv_bytes_per_growing_token(c, number)},
            {"longest_sequence_tokens", longest_sequence(c, number, budget)},
            {"fits", std::move(fits)}};
    }
    return out;
}

}  // namespace brigada
