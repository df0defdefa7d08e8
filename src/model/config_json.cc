// The config of a Hugging Face model: its config.json, with the defaults that transformers gives to
// what it does not say.
#include <optional>
#include <utility>

#include "base/concat.h"
#include "model/config.h"
#include "model/config_check.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// Typed reading of one object; null counts as absent, as in transformers.
class Fields {
  public:
    Fields(const Json& object, std::string_view what) : object_(object), what_(what) {}

    std::string_view what() const { return what_; }

    /// Present, be it as null.
    bool has(std::string_view key) const { return object_.contains(key); }

    const Json* find(std::string_view key) const {
        const auto at = object_.find(key);
        return at == object_.end() || at->is_null() ? nullptr : &*at;
    }

    Result<std::optional<uint32_t>> u32(std::string_view key) const {
        const Json* value = find(key);
        if (!value) return std::optional<uint32_t>();
        if (!value->is_number_integer() || *value < 0)
            return wrong_kind(key, "an integer of 0 or more");
        TRY(uint32_t narrow, as_u32(value->get<uint64_t>(), what_, key));
        return std::optional(narrow);
    }

    Result<uint32_t> needed_u32(std::string_view key) const {
        TRY(auto value, u32(key));
        if (!value) return Error{Code::corrupt, concat(what_, ": has no ", key)};
        return *value;
    }

    Result<std::optional<double>> number(std::string_view key) const {
        const Json* value = find(key);
        if (!value) return std::optional<double>();
        if (!value->is_number()) return wrong_kind(key, "a number");
        return std::optional(value->get<double>());
    }

    Result<double> needed_number(std::string_view key) const {
        TRY(auto value, number(key));
        if (!value) return Error{Code::corrupt, concat(what_, ": has no ", key)};
        return *value;
    }

    Result<double> number_or(std::string_view key, double otherwise) const {
        TRY(auto value, number(key));
        return value.value_or(otherwise);
    }

    Result<bool> boolean_or(std::string_view key, bool otherwise) const {
        const Json* value = find(key);
        if (!value) return otherwise;
        if (!value->is_boolean()) return wrong_kind(key, "a boolean");
        return value->get<bool>();
    }

    Result<std::string> string_or(std::string_view key, std::string_view otherwise) const {
        const Json* value = find(key);
        if (!value) return std::string(otherwise);
        if (!value->is_string()) return wrong_kind(key, "a string");
        return value->get<std::string>();
    }

    Result<std::vector<float>> needed_floats(std::string_view key) const {
        const Json* value = find(key);
        if (!value || !value->is_array()) return wrong_kind(key, "an array of numbers");
        std::vector<float> out;
        for (const Json& n : *value) {
            if (!n.is_number()) return wrong_kind(key, "an array of numbers");
            out.push_back(static_cast<float>(n.get<double>()));
        }
        return out;
    }

    Error wrong_kind(std::string_view key, std::string_view wanted) const {
        const Json* value = find(key);
        return {Code::corrupt,
                concat(what_, ": ", key, " is ", value ? value->type_name() : "absent", "; ",
                       wanted, " is needed")};
    }

  private:
    const Json& object_;
    std::string_view what_;
};

std::optional<Architecture> architecture_of(std::string_view model_type) {
    for (Architecture a :
         {Architecture::llama, Architecture::mistral, Architecture::qwen2, Architecture::qwen3})
        if (to_string(a) == model_type) return a;
    return std::nullopt;
}

/// What changes the computation in a way that does not run here.
Result<void> refuse_features(const Fields& fields) {
    TRY(std::string activation, fields.string_or("hidden_act", "silu"));
    if (activation != "silu" && activation != "swish")
        return Error{Code::unsupported, concat(fields.what(), ": the activation ",
                                               shown(activation), " does not run here; silu does")};
    const Json* quantisation = fields.find("quantization_config");
    if (!quantisation) return {};
    if (!quantisation->is_object()) return fields.wrong_kind("quantization_config", "an object");
    const Fields method(*quantisation, fields.what());
    TRY(std::string name, method.string_or("quant_method", "an unnamed method"));
    return Error{Code::unsupported,
                 concat(fields.what(), ": weights quantised by ", shown(name),
                        " are not read; F32, F16 and BF16 ", "safetensors and GGUF files are")};
}

Result<void> read_measures(const Fields& fields, ModelConfig& c) {
    TRY(c.vocab, fields.needed_u32("vocab_size"));
    TRY(c.d_model, fields.needed_u32("hidden_size"));
    TRY(c.layers, fields.needed_u32("num_hidden_layers"));
    TRY(c.d_ff, fields.needed_u32("intermediate_size"));
    TRY(c.max_context, fields.needed_u32("max_position_embeddings"));
    TRY(double eps, fields.number_or("rms_norm_eps", 1e-6));
    c.norm_eps = static_cast<float>(eps);
    return {};
}

Result<void> read_heads(const Fields& fields, ModelConfig& c) {
    TRY(c.heads, fields.needed_u32("num_attention_heads"));
    TRY(auto kv_heads, fields.u32("num_key_value_heads"));
    c.kv_heads = kv_heads.value_or(c.heads);
    TRY(auto head_dim, fields.u32("head_dim"));
    if (!head_dim && c.architecture == Architecture::qwen3) head_dim = 128;
    if (!head_dim && (c.heads == 0 || c.d_model % c.heads != 0))
        return Error{Code::corrupt, concat(fields.what(), ": num_attention_heads ", c.heads,
                                           " does not divide hidden_size ", c.d_model,
                                           ", and head_dim is absent")};
    c.head_dim = head_dim ? *head_dim : c.d_model / c.heads;
    return {};
}

Result<void> read_features(const Fields& fields, bool tied_default, ModelConfig& c) {
    TRY(c.tied_embeddings, fields.boolean_or("tie_word_embeddings", tied_default));
    TRY(bool attention_bias, fields.boolean_or("attention_bias", false));
    TRY(bool mlp_bias, fields.boolean_or("mlp_bias", false));
    const bool has_choice =
        c.architecture == Architecture::llama || c.architecture == Architecture::qwen3;
    c.qkv_bias = c.architecture == Architecture::qwen2 || (has_choice && attention_bias);
    c.attention_output_bias = has_choice && attention_bias;
    c.mlp_bias = c.architecture == Architecture::llama && mlp_bias;
    c.qk_norm = c.architecture == Architecture::qwen3;
    return {};
}

// --- RoPE ---------------------------------------------------------------------------------------

/// The object that speaks of RoPE: `rope_parameters` today, `rope_scaling` before; null for
/// neither.
Result<const Json*> rope_object(const Fields& fields) {
    const Json* object = fields.find("rope_parameters");
    if (!object) object = fields.find("rope_scaling");
    if (!object) return object;
    if (!object->is_object())
        return Error{Code::corrupt, concat(fields.what(), ": rope_scaling is ", object->type_name(),
                                           "; an object is needed")};
    for (const auto& [key, value] : object->items())
        if (value.is_object())
            return Error{Code::unsupported,
                         concat(fields.what(), ": RoPE parameters of their own for ", shown(key),
                                " layers do not run here")};
    return object;
}

Result<RopeYarn> read_yarn(const Fields& rope, uint64_t original, uint32_t max_context) {
    RopeYarn yarn{.original_context = original};
    TRY(yarn.factor,
        rope.number_or("factor", static_cast<double>(max_context) / static_cast<double>(original)));
    TRY(double fast, rope.number_or("beta_fast", 0));
    TRY(double slow, rope.number_or("beta_slow", 0));
    if (fast != 0) yarn.beta_fast = fast;
    if (slow != 0) yarn.beta_slow = slow;
    TRY(yarn.truncate, rope.boolean_or("truncate", true));
    TRY(yarn.attention_factor, rope.number("attention_factor"));
    TRY(yarn.mscale, rope.number("mscale"));
    TRY(yarn.mscale_all_dim, rope.number("mscale_all_dim"));
    return yarn;
}

Result<RopeLong> read_longrope(const Fields& rope, uint64_t original, uint32_t max_context) {
    RopeLong longrope{.original_context = original};
    TRY(longrope.short_factors, rope.needed_floats("short_factor"));
    TRY(longrope.long_factors, rope.needed_floats("long_factor"));
    TRY(longrope.factor,
        rope.number_or("factor", static_cast<double>(max_context) / static_cast<double>(original)));
    TRY(longrope.attention_factor, rope.number("attention_factor"));
    return longrope;
}

Result<RopeLlama3> read_llama3(const Fields& rope, uint64_t original) {
    RopeLlama3 llama3{.original_context = original};
    TRY(llama3.factor, rope.needed_number("factor"));
    TRY(llama3.low_freq_factor, rope.needed_number("low_freq_factor"));
    TRY(llama3.high_freq_factor, rope.needed_number("high_freq_factor"));
    return llama3;
}

Result<RopeScaling> read_scaling(const Fields& rope, uint64_t original, uint32_t max_context) {
    TRY(std::string old_type, rope.string_or("type", "default"));
    TRY(std::string type, rope.string_or("rope_type", old_type));
    if (type == "default") return RopeScaling(RopeUnscaled{});
    if (type == "linear") {
        TRY(double factor, rope.needed_number("factor"));
        return RopeScaling(RopeLinear{factor});
    }
    if (type == "dynamic") {
        TRY(double factor, rope.needed_number("factor"));
        return RopeScaling(RopeDynamic{factor, max_context});
    }
    if (type == "llama3") {
        TRY(RopeLlama3 llama3, read_llama3(rope, original));
        return RopeScaling(llama3);
    }
    if (type == "yarn") {
        TRY(RopeYarn yarn, read_yarn(rope, original, max_context));
        return RopeScaling(yarn);
    }
    if (type == "longrope" || type == "su") {
        TRY(RopeLong longrope, read_longrope(rope, original, max_context));
        return RopeScaling(std::move(longrope));
    }
    return Error{Code::unsupported, concat(rope.what(), ": RoPE type ", shown(type),
                                           " does not run here; default, "
                                           "linear, dynamic, llama3, yarn and longrope do")};
}

/// The context before scaling: from beside the RoPE object, from inside it, or the whole context.
Result<uint64_t> original_context(const Fields& fields, const Fields& rope, const ModelConfig& c) {
    constexpr std::string_view kKey = "original_max_position_embeddings";
    TRY(auto inside, rope.u32(kKey));
    TRY(auto beside, fields.u32(kKey));
    const uint32_t original = beside.value_or(inside.value_or(c.max_context));
    if (original == 0) return Error{Code::corrupt, concat(fields.what(), ": ", kKey, " is 0")};
    return original;
}

/// Files that switch scaling on by hand (Qwen's cards say how) leave max_position_embeddings as it
/// was: what YaRN and dynamic scaling add to it is counted here, as vLLM does.
Result<uint32_t> scaled_context(const Fields& fields, const ModelConfig& c) {
    double context = c.max_context;
    if (const auto* s = std::get_if<RopeYarn>(&c.rope.scaling))
        context = std::max(context, s->factor * static_cast<double>(s->original_context));
    if (const auto* s = std::get_if<RopeDynamic>(&c.rope.scaling)) context *= s->factor;
    if (!(context >= 1 && context <= 1 << 30))
        return Error{Code::corrupt,
                     concat(fields.what(), ": RoPE scaling ", to_string(c.rope.scaling),
                            " makes a context of ", context, " tokens")};
    return static_cast<uint32_t>(context);
}

Result<void> read_rope(const Fields& fields, ModelConfig& c) {
    const Json none = Json::object();
    TRY(const Json* object, rope_object(fields));
    const Fields rope(object ? *object : none, fields.what());
    TRY(double theta, fields.number_or("rope_theta", 10000));
    TRY(c.rope.theta, rope.number_or("rope_theta", theta));
    TRY(double partial, fields.number_or("partial_rotary_factor", 1));
    TRY(partial, rope.number_or("partial_rotary_factor", partial));
    if (!(partial > 0 && partial <= 1))
        return Error{Code::corrupt, concat(fields.what(), ": partial_rotary_factor is ", partial,
                                           "; more than 0 and at most 1 is possible")};
    c.rope.dims = static_cast<uint32_t>(c.head_dim * partial);
    c.rope.pairing = RopePairing::halves;
    TRY(uint64_t original, original_context(fields, rope, c));
    TRY(c.rope.scaling, read_scaling(rope, original, c.max_context));
    TRY(c.max_context, scaled_context(fields, c));
    return {};
}

// --- layers -------------------------------------------------------------------------------------

/// The window of the layers that have one; 0 when none has.
Result<uint32_t> window_of(const Fields& fields, Architecture architecture) {
    const bool absent_means_4096 =
        architecture != Architecture::llama && !fields.has("sliding_window");
    TRY(auto window, fields.u32("sliding_window"));
    if (architecture == Architecture::qwen2 || architecture == Architecture::qwen3) {
        TRY(bool used, fields.boolean_or("use_sliding_window", false));
        if (!used) return 0u;
    }
    return absent_means_4096 ? 4096u : window.value_or(0);
}

/// Which layers have the window: as `layer_types` says, else by the rule of the architecture.
Result<std::vector<LayerKind>> kinds_by_name(const Fields& fields, const Json& names,
                                             uint32_t window) {
    std::vector<LayerKind> kinds;
    for (const Json& name : names) {
        const std::string text = name.is_string() ? name.get<std::string>() : dump_json(name);
        if (text == "full_attention" || (text == "sliding_attention" && window == 0))
            kinds.push_back(FullAttention{});
        else if (text == "sliding_attention")
            kinds.push_back(WindowAttention{window});
        else
            return Error{Code::unsupported, concat(fields.what(), ": a layer of type ", shown(text),
                                                   " does not run here; full_attention and "
                                                   "sliding_attention do")};
    }
    return kinds;
}

Result<void> read_layer_kinds(const Fields& fields, ModelConfig& c) {
    TRY(uint32_t window, window_of(fields, c.architecture));
    if (const Json* names = fields.find("layer_types")) {
        if (!names->is_array()) return fields.wrong_kind("layer_types", "an array of strings");
        TRY(c.layer_kinds, kinds_by_name(fields, *names, window));
        return {};
    }
    uint32_t first = 0;
    if (c.architecture == Architecture::qwen2 || c.architecture == Architecture::qwen3) {
        TRY(auto full, fields.u32("max_window_layers"));
        first = full.value_or(28);
    }
    if (c.architecture == Architecture::llama || window == 0) first = c.layers;
    c.layer_kinds.assign(c.layers, FullAttention{});
    for (uint32_t i = first; i < c.layers; ++i)
        c.layer_kinds[i] = WindowAttention{window};
    return {};
}

}  // namespace

Result<ModelConfig> config_from_json(const Json& config, std::string_view what) {
    if (!config.is_object())
        return Error{Code::corrupt,
                     concat(what, ": is ", config.type_name(), "; an object is needed")};
    const Fields outer(config, what);
    const Json* text = outer.find("text_config");
    if (text && !text->is_object()) return outer.wrong_kind("text_config", "an object");
    const Fields fields(text ? *text : config, what);

    TRY(std::string model_type, fields.string_or("model_type", ""));
    const auto architecture = architecture_of(model_type);
    if (!architecture) return unsupported_architecture(what, model_type);
    TRY(refuse_features(outer));
    TRY(refuse_features(fields));

    ModelConfig c;
    c.architecture = *architecture;
    TRY(c.name, outer.string_or("_name_or_path", ""));
    TRY(bool tied, outer.boolean_or("tie_word_embeddings", false));
    TRY(read_measures(fields, c));
    if (c.layers > (1 << 12))
        return Error{Code::corrupt, concat(what, ": says it has ", c.layers, " layers")};
    TRY(read_heads(fields, c));
    TRY(read_features(fields, tied, c));
    TRY(read_rope(fields, c));
    TRY(read_layer_kinds(fields, c));
    TRY(check_config(c, what));
    return c;
}

}  // namespace brigada
