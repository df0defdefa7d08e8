// geometry_from_json: a config.json to a ModelGeometry. The parts of a layer are read by the other
// files of this folder; here they are put together, and what comes out is checked.
#include <algorithm>

#include "base/concat.h"
#include "cost/geometry.h"
#include "cost/read/attention.h"
#include "cost/read/block_layers.h"
#include "cost/read/check_geometry.h"
#include "cost/read/compressed_attention.h"
#include "cost/read/feed_forward.h"
#include "cost/read/state_mixer.h"
#include "cost/read/vision_tower.h"
#include "cost/read/weight_format.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// Multimodal files hold the text model in an object of their own, omni models in one within.
Result<ConfigFields> text_model(const ConfigFields& outer) {
    if (outer.has("thinker_config")) {
        TRY(const ConfigFields thinker, outer.inside("thinker_config"));
        return thinker.has("text_config") ? thinker.inside("text_config") : thinker;
    }
    for (const std::string_view key : {"text_config", "llm_config", "language_config"})
        if (outer.has(key)) return outer.inside(key);
    return outer;
}

// --- the architecture ---------------------------------------------------------------------------

/// Words in field names that speak of layers which a plain transformer does not have.
constexpr std::string_view kUnusual[] = {"mamba",         "ssm",
                                         "linear_",       "conv",
                                         "lora_rank",     "recurrent",
                                         "rwkv",          "compress",
                                         "sparse",        "hybrid",
                                         "block_configs", "state_size",
                                         "encoder",       "cross_attention",
                                         "shared_layers"};

/// A field that is set and speaks of something unusual; empty: none.
std::string_view unusual_field(const ConfigFields& fields) {
    for (const auto& [key, value] : fields.object().items()) {
        const bool set = !(value.is_null() || value == false || value == 0 ||
                           (value.is_structured() && value.empty()));
        if (!set) continue;
        for (const std::string_view word : kUnusual)
            if (key.find(word) != std::string::npos) return key;
    }
    return {};
}

/// By the text model's type, else the whole model's; a type that is not known is taken for a plain
/// transformer, if all it says is what one says.
Result<ArchitectureTraits> read_architecture(const ConfigFields& outer, const ConfigFields& text,
                                             std::vector<std::string>& assumed) {
    TRY(const std::string inner_type, text.text_or("model_type", ""));
    TRY(const std::string outer_type, outer.text_or("model_type", ""));
    for (const std::string_view type : {inner_type, outer_type})
        if (const ArchitectureTraits* traits = find_architecture(type)) return *traits;
    const std::string& type = inner_type.empty() ? outer_type : inner_type;
    const std::string_view unusual = unusual_field(text);
    if (!unusual.empty())
        return Error{Code::unsupported,
                     concat(outer.what(), ": model_type ", shown(type), " is not known, and ",
                            unusual, " says that its layers are not those of a plain transformer; ",
                            "known are ", known_architectures())};
    assumed.push_back(concat("model_type ", shown(type),
                             " is not known: taken for a plain transformer with a gated "
                             "feed-forward part"));
    return ArchitectureTraits{};
}

// --- the whole ----------------------------------------------------------------------------------

Result<void> read_measures(const ConfigFields& text, ModelMeasures& measures) {
    const ArchitectureTraits& traits = measures.traits;
    TRY(measures.d_model, text.needed({"hidden_size", "n_embd", "d_model"}, kMostWidth));
    TRY(measures.layers, text.needed({"num_hidden_layers", "n_layer"}, kMostLayers));
    TRY(measures.max_context,
        text.count_or({"max_position_embeddings", "n_positions", "max_sequence_length"},
                      kMostTokens, traits.context));
    if (measures.max_context == 0)
        return Error{Code::corrupt, concat(text.what(), ": has no max_position_embeddings")};
    if (!text.has("max_position_embeddings") && traits.context != 0)
        measures.assume(concat("no max_position_embeddings: ", traits.context, ", the default of ",
                               traits.type));
    return {};
}

/// Files that switch YaRN on by hand leave max_position_embeddings as it was.
Result<void> read_scaled_context(const ConfigFields& text, ModelMeasures& measures) {
    const std::string_view key = text.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
    const Json* object = text.find(key);
    if (!object || !object->is_object()) return {};
    const ConfigFields rope(*object, text.what());
    const Json* factor = rope.find("factor");
    const Json* name = rope.find(rope.has("rope_type") ? "rope_type" : "type");
    TRY(const auto original, rope.count({"original_max_position_embeddings"}, kMostTokens));
    if (!factor || !factor->is_number() || !name || *name != "yarn" || !original) return {};
    const double scaled = factor->get<double>() * *original;
    if (scaled > measures.max_context && scaled <= static_cast<double>(kMostTokens))
        measures.max_context = static_cast<uint32_t>(scaled);
    return {};
}

Result<void> read_embeddings(const ConfigFields& outer, const ConfigFields& text,
                             ModelMeasures& measures, ModelGeometry& g) {
    const ArchitectureTraits& traits = measures.traits;
    TRY(g.vocab, text.count_or({"vocab_size"}, kMostVocab, traits.vocab));
    if (g.vocab == 0) return Error{Code::corrupt, concat(text.what(), ": has no vocab_size")};
    if (!text.has("vocab_size"))
        measures.assume(concat("no vocab_size: ", traits.vocab, ", the default of ", traits.type));
    TRY(const bool outer_tied, outer.flag_or("tie_word_embeddings", traits.tied));
    TRY(g.tied_embeddings, text.flag_or("tie_word_embeddings", outer_tied));
    g.embedding_params = g.output_params() * (g.tied_embeddings ? 1 : 2) + measures.d_model;
    return {};
}

// --- layers -------------------------------------------------------------------------------------

Result<std::vector<LayerParts>> read_uniform(const ConfigFields& text, ModelMeasures& measures) {
    TRY(const LayerKinds kinds, read_layer_kinds(text, measures));
    TRY(const AttentionReader attention, AttentionReader::read(text, measures, kinds.window));
    TRY(const auto feed_forward, read_feed_forward(text, measures));
    MixerGeometry state;
    if (std::ranges::find(kinds.layers, LookBack::state) != kinds.layers.end()) {
        TRY(state, read_state_mixer(text, measures));
    }
    std::vector<LayerParts> out;
    for (uint32_t i = 0; i < measures.layers; ++i) {
        const LookBack look = kinds.layers[i];
        out.push_back(
            {look == LookBack::state ? state : attention.mixer(i, look), feed_forward[i]});
    }
    return out;
}

/// Behind the model's layers come those that predict further tokens: their window only.
Result<std::vector<LayerParts>> read_deepseek_v4(const ConfigFields& text,
                                                 ModelMeasures& measures) {
    TRY(const auto mixers, read_compressed_attention(text, measures));
    TRY(const auto feed_forward, read_feed_forward(text, measures));
    std::vector<LayerParts> out;
    for (size_t i = 0; i < mixers.size(); ++i) {
        if (i < feed_forward.size())
            out.push_back({mixers[i], feed_forward[i]});
        else
            out.push_back({{.kv = mixers[i].kv}, {}});
    }
    return out;
}

Result<std::vector<LayerParts>> read_layers(const ConfigFields& text, ModelMeasures& measures) {
    switch (measures.traits.assembly) {
        case Assembly::uniform:
            return read_uniform(text, measures);
        case Assembly::nemotron_h:
            return read_nemotron_h(text, measures);
        case Assembly::deci:
            return read_deci(text, measures);
        case Assembly::falcon_h1:
            return read_falcon_h1(text, measures);
        case Assembly::deepseek_v4:
            return read_deepseek_v4(text, measures);
    }
    return std::vector<LayerParts>();
}

LayerGeometry layer_geometry(const LayerParts& parts, uint32_t i, const WeightFormat& format) {
    const MixerGeometry& mixer = parts.mixer;
    const FeedForwardGeometry& ff = parts.feed_forward;
    return {.kv = mixer.kv,
            .heads = mixer.heads,
            .attention_params = mixer.params,
            .dense_params = ff.dense_params,
            .expert_params = ff.expert_params,
            .experts = ff.experts,
            .experts_per_token = ff.experts_per_token,
            .attention_param_bytes = format.of_layer(i, mixer.matrix).bytes,
            .dense_param_bytes = format.of_layer(i, ff.dense_matrix).bytes,
            .expert_param_bytes = format.of_layer(i, ff.expert_matrix, true).bytes,
            .whole_params = mixer.whole_params + ff.whole_params};
}

/// In the numbers of the matrices that weigh most: experts, else the last layer's feed-forward
/// part.
void set_formats(const std::vector<LayerParts>& parts, const WeightFormat& format,
                 ModelGeometry& g) {
    for (uint32_t i = 0; i < parts.size(); ++i) {
        const FeedForwardGeometry& ff = parts[i].feed_forward;
        const bool experts = ff.experts > 0;
        if (!experts && ff.dense_params == 0) continue;
        const NumberFormat numbers =
            format.of_layer(i, experts ? ff.expert_matrix : ff.dense_matrix, experts);
        g.compute = numbers.compute;
        if (experts && numbers.mxfp4) g.expert_width_multiple = 256;
    }
    if (!g.tied_embeddings)
        g.embedding_param_bytes = (format.plain().bytes + format.of_output().bytes) / 2;
}

Result<void> note_further_layers(const ConfigFields& text, ModelMeasures& measures) {
    for (const std::string_view key : {"num_nextn_predict_layers", "mtp_num_hidden_layers"}) {
        TRY(const uint32_t further, text.count_or({key}, kMostLayers, 0));
        if (further != 0 && measures.traits.assembly != Assembly::deepseek_v4)
            measures.assume(concat(further, " layer(s) that predict further tokens (", key,
                                   ") are not counted"));
    }
    return {};
}

/// The word for no number that stands at the beginning; empty: none.
std::string_view no_number_at(std::string_view text) {
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
        if (text.starts_with(word)) return word;
    return {};
}

/// `text` from the quote at its beginning to the one that closes it.
std::string_view quoted_at(std::string_view text) {
    for (size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') return text.substr(0, i + 1);
        if (text[i] == '\\') ++i;
    }
    return text;
}

}  // namespace

Result<Json> parse_config(std::string_view text, std::string_view what) {
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const std::string_view word = no_number_at(text);
        const std::string_view taken = text.front() == '"' ? quoted_at(text)
                                       : word.empty()      ? text.substr(0, 1)
                                                           : word;
        plain += word.empty() ? taken : "null";
        text.remove_prefix(taken.size());
    }
    return parse_json(plain, what);
}

Result<ModelGeometry> geometry_from_json(const Json& config, std::string_view what) {
    if (!config.is_object())
        return Error{Code::corrupt,
                     concat(what, ": is ", config.type_name(), "; an object is needed")};
    const ConfigFields outer(config, what);
    TRY(const ConfigFields text, text_model(outer));
    std::vector<std::string> assumed;
    TRY(const ArchitectureTraits traits, read_architecture(outer, text, assumed));
    ModelMeasures measures{.traits = traits, .assumed = std::move(assumed)};

    ModelGeometry g;
    TRY(g.name, outer.text_or("_name_or_path", ""));
    TRY(g.architecture, text.text_or("model_type", traits.type));
    TRY(read_measures(text, measures));
    TRY(read_scaled_context(text, measures));
    g.d_model = measures.d_model;
    g.max_context = measures.max_context;
    TRY(read_embeddings(outer, text, measures, g));
    TRY(const auto parts, read_layers(text, measures));
    TRY(g.other_params, read_vision_params(outer, measures));
    TRY(note_further_layers(text, measures));
    TRY(const WeightFormat format, WeightFormat::read(outer, text, measures));
    for (uint32_t i = 0; i < parts.size(); ++i) {
        g.layers.push_back(layer_geometry(parts[i], i, format));
        const bool attends = !std::holds_alternative<StateKv>(parts[i].mixer.kv);
        if (attends) g.heads = std::max(g.heads, parts[i].mixer.heads);
    }
    set_formats(parts, format, g);
    TRY(check_geometry(g, what));
    g.assumed = std::move(measures.assumed);
    return g;
}

}  // namespace brigada
