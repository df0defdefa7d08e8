#include "cost/read/layer_kinds.h"

#include <algorithm>

#include "base/concat.h"
#include "model/shown.h"

namespace brigada {

namespace {

using Layers = std::vector<LookBack>;

/// Layer i is full where `full(i)`, else `otherwise`.
template <typename Full>
Layers layers_where(uint32_t count, LookBack otherwise, Full full) {
    Layers out(count, otherwise);
    for (uint32_t i = 0; i < count; ++i)
        if (full(i)) out[i] = LookBack::full;
    return out;
}

Result<Layers> from_names(const ConfigFields& fields, const std::vector<std::string>& names) {
    Layers out;
    for (const std::string& name : names) {
        if (name == "full_attention" || name == "attention")
            out.push_back(LookBack::full);
        else if (name == "sliding_attention" || name == "chunked_attention")
            out.push_back(LookBack::window);
        else if (name == "linear_attention" || name == "mamba")
            out.push_back(LookBack::state);
        else
            return Error{Code::unsupported,
                         concat(fields.what(), ": layer_types has ", shown(name),
                                "; full_attention, sliding_attention, chunked_attention, "
                                "linear_attention and mamba are known")};
    }
    return out;
}

/// MiMo: 1 is a window.
Layers from_pattern(const std::vector<uint32_t>& pattern) {
    return layers_where(static_cast<uint32_t>(pattern.size()), LookBack::window,
                        [&](uint32_t i) { return pattern[i] == 0; });
}

/// Kimi Linear: the full ones by number, counted from 1.
Result<Layers> from_full_list(const ConfigFields& linear, const ModelMeasures& measures) {
    TRY(const auto full, linear.counts("full_attn_layers", measures.layers));
    if (full.empty()) return linear.wrong("full_attn_layers", "a list of layers");
    return layers_where(measures.layers, LookBack::state,
                        [&](uint32_t i) { return std::ranges::find(full, i + 1) != full.end(); });
}

Result<Layers> from_interval(const ConfigFields& fields, const ModelMeasures& measures) {
    TRY(const uint32_t interval, fields.needed({"full_attention_interval"}, kMostLayers));
    return layers_where(measures.layers, LookBack::state,
                        [&](uint32_t i) { return (i + 1) % interval == 0; });
}

/// Jamba.
Result<Layers> from_period(const ConfigFields& fields, const ModelMeasures& measures) {
    TRY(const uint32_t period, fields.needed({"attn_layer_period"}, kMostLayers));
    TRY(const uint32_t offset, fields.count_or({"attn_layer_offset"}, kMostLayers, 0));
    if (offset >= period)
        return Error{Code::corrupt,
                     concat(fields.what(), ": attn_layer_offset is ", offset,
                            "; less than attn_layer_period ", period, " is possible")};
    return layers_where(measures.layers, LookBack::state,
                        [&](uint32_t i) { return i % period == offset; });
}

/// Llama 4: layers without RoPE see everything, the others their chunk.
Result<Layers> from_rope_layers(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(const auto rope, fields.counts("no_rope_layers", 1));
    if (!rope.empty()) {
        if (rope.size() != measures.layers)
            return fields.wrong("no_rope_layers", "one entry per layer");
        return layers_where(measures.layers, LookBack::window,
                            [&](uint32_t i) { return rope[i] == 0; });
    }
    TRY(const uint32_t interval, fields.count_or({"no_rope_layer_interval"}, kMostLayers, 4));
    if (interval == 0) return fields.wrong("no_rope_layer_interval", "1 or more");
    if (!fields.has("no_rope_layer_interval"))
        measures.assume("every 4th layer sees the whole context, as in the makers' code");
    return layers_where(measures.layers, LookBack::window,
                        [&](uint32_t i) { return (i + 1) % interval == 0; });
}

Result<Layers> from_rule(const ConfigFields& fields, const ModelMeasures& measures) {
    const ArchitectureTraits& traits = measures.traits;
    const uint32_t n = measures.layers;
    TRY(const uint32_t period,
        fields.count_or({"sliding_window_pattern", "_sliding_window_pattern"}, kMostLayers,
                        traits.period));
    TRY(const uint32_t first, fields.count_or({"max_window_layers"}, kMostLayers, n));
    TRY(const bool used, fields.flag_or("use_sliding_window", false));
    switch (traits.windows) {
        case WindowRule::none:
            break;
        case WindowRule::every:
            return Layers(n, LookBack::window);
        case WindowRule::above_first:
            return layers_where(n, LookBack::window,
                                [&](uint32_t i) { return !used || i < first; });
        case WindowRule::even:
            return layers_where(n, LookBack::window, [](uint32_t i) { return i % 2 != 0; });
        case WindowRule::odd_ones:
            if (period == 0) break;
            return layers_where(n, LookBack::window,
                                [&](uint32_t i) { return (i + 1) % period == 0; });
    }
    return Layers(n, LookBack::full);
}

Result<Layers> read_layers(const ConfigFields& fields, ModelMeasures& measures) {
    TRY(const auto names, fields.texts("layer_types", measures.layers));
    if (!names.empty()) return from_names(fields, names);
    TRY(const auto pattern, fields.counts("hybrid_layer_pattern", 1, measures.layers));
    if (!pattern.empty()) return from_pattern(pattern);
    TRY(const ConfigFields linear, fields.inside("linear_attn_config"));
    if (fields.has("linear_attn_config")) return from_full_list(linear, measures);
    if (fields.has("full_attention_interval")) return from_interval(fields, measures);
    if (fields.has("attn_layer_period")) return from_period(fields, measures);
    if (fields.has("attention_chunk_size")) return from_rope_layers(fields, measures);
    return from_rule(fields, measures);
}

}  // namespace

Result<LayerKinds> read_layer_kinds(const ConfigFields& fields, ModelMeasures& measures) {
    LayerKinds kinds;
    TRY(kinds.layers, read_layers(fields, measures));
    TRY(kinds.window, fields.count_or({"sliding_window", "attention_chunk_size"}, kMostTokens,
                                      measures.traits.window));
    if (kinds.window == 0 || kinds.window >= measures.max_context)
        std::ranges::replace(kinds.layers, LookBack::window, LookBack::full);
    return kinds;
}

}  // namespace brigada
