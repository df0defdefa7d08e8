#include "cost/read/block_layers.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "cost/read/attention.h"
#include "cost/read/feed_forward.h"
#include "cost/read/state_mixer.h"
#include "model/shown.h"

namespace brigada {

namespace {

/// A block without attention has its norm all the same.
MixerGeometry norm_only(const ModelMeasures& measures) {
    const uint64_t norms = uint64_t{measures.traits.norms} * measures.d_model;
    return {.params = norms, .whole_params = norms, .matrix = ""};
}

/// The kinds of block that a Nemotron-H model has, each read once and only if it occurs.
struct NemotronBlocks {
    LayerParts mamba, attention, dense, experts;
};

Result<NemotronBlocks> read_nemotron_blocks(const ConfigFields& fields, ModelMeasures& measures,
                                            std::string_view pattern) {
    const auto occurs = [&](char c) { return pattern.find(c) != std::string_view::npos; };
    NemotronBlocks blocks;
    if (occurs('M')) {
        TRY(blocks.mamba.mixer, read_mamba2(fields, measures));
    }
    if (occurs('*')) {
        TRY(const AttentionReader reader, AttentionReader::read(fields, measures, 0));
        blocks.attention.mixer = reader.mixer(0, LookBack::full);
        blocks.attention.mixer.matrix = "mixer.q_proj";
    }
    if (occurs('-')) {
        TRY(const uint64_t width, fields.needed({"intermediate_size"}, kMostInner));
        blocks.dense = {norm_only(measures), dense_feed_forward(measures, width)};
        blocks.dense.feed_forward.dense_matrix = "mixer.up_proj";
    }
    if (occurs('E')) {
        blocks.experts.mixer = norm_only(measures);
        TRY(blocks.experts.feed_forward, read_experts(fields, measures));
        blocks.experts.feed_forward.expert_matrix = "mixer.experts.0.up_proj";
        blocks.experts.feed_forward.dense_matrix = "mixer.shared_experts.up_proj";
    }
    return blocks;
}

/// DeciLM rounds the width of a feed-forward part up to whole 256s: 2/3 x mult x d_model.
uint64_t deci_width(double mult, uint64_t d_model) {
    const auto width = static_cast<uint64_t>(2 * mult * static_cast<double>(d_model) / 3);
    return (width + 255) / 256 * 256;
}

Result<MixerGeometry> deci_attention(const ConfigFields& fields, const ConfigFields& attention,
                                     const ModelMeasures& measures) {
    TRY(const bool none, attention.flag_or("no_op", false));
    TRY(const bool linear, attention.flag_or("replace_with_linear", false));
    const uint64_t d = measures.d_model;
    const uint64_t norm = none ? 0 : d;
    if (none || linear)
        return MixerGeometry{.params = norm + (linear ? d * d : 0), .whole_params = norm};
    TRY(const uint64_t heads, fields.needed({"num_attention_heads"}, kMostHeads));
    TRY(const uint64_t group, attention.needed({"n_heads_in_group"}, kMostHeads));
    if (d % heads != 0 || heads % group != 0)
        return Error{Code::corrupt, concat(fields.what(), ": num_attention_heads ", heads,
                                           " must divide hidden_size ", d,
                                           " and be a multiple of n_heads_in_group ", group)};
    const uint64_t dim = d / heads;
    const auto kv_heads = static_cast<uint32_t>(heads / group);
    TRY(const uint32_t window, attention.count_or({"window_length"}, kMostTokens, 0));
    return MixerGeometry{.kv = HeadsKv{.kv_heads = kv_heads,
                                       .key_dim = static_cast<uint32_t>(dim),
                                       .value_dim = static_cast<uint32_t>(dim),
                                       .window = window},
                         .heads = static_cast<uint32_t>(heads),
                         .params = norm + 2 * d * d + 2 * d * kv_heads * dim,
                         .whole_params = norm};
}

Result<FeedForwardGeometry> deci_feed_forward(const ConfigFields& ffn,
                                              const ModelMeasures& measures) {
    TRY(const bool none, ffn.flag_or("no_op", false));
    TRY(const bool linear, ffn.flag_or("replace_with_linear", false));
    const uint64_t d = measures.d_model;
    if (none) return FeedForwardGeometry{};
    FeedForwardGeometry part{.dense_params = d * d};
    if (!linear) {
        const Json* mult = ffn.find("ffn_mult");
        if (!mult || !mult->is_number() || !(*mult > 0) || !(*mult < 64))
            return ffn.wrong("ffn_mult", "a number between 0 and 64");
        part = dense_feed_forward(measures, deci_width(mult->get<double>(), d));
    }
    part.dense_params += d;
    part.whole_params += d;
    return part;
}

}  // namespace

Result<std::vector<LayerParts>> read_nemotron_h(const ConfigFields& fields,
                                                ModelMeasures& measures) {
    TRY(const std::string pattern, fields.text_or("hybrid_override_pattern", ""));
    if (pattern.size() != measures.layers)
        return Error{Code::corrupt,
                     concat(fields.what(), ": hybrid_override_pattern has ", pattern.size(),
                            " blocks, num_hidden_layers is ", measures.layers)};
    TRY(const NemotronBlocks blocks, read_nemotron_blocks(fields, measures, pattern));
    std::vector<LayerParts> out;
    for (const char c : pattern) {
        if (c == 'M')
            out.push_back(blocks.mamba);
        else if (c == '*')
            out.push_back(blocks.attention);
        else if (c == '-')
            out.push_back(blocks.dense);
        else if (c == 'E')
            out.push_back(blocks.experts);
        else
            return Error{Code::unsupported,
                         concat(fields.what(), ": hybrid_override_pattern has ",
                                shown(std::string_view(&c, 1)), "; M, *, - and E are known")};
    }
    return out;
}

Result<std::vector<LayerParts>> read_deci(const ConfigFields& fields, ModelMeasures& measures) {
    const Json* configs = fields.find("block_configs");
    if (!configs || !configs->is_array() || configs->size() != measures.layers)
        return fields.wrong("block_configs", concat("a list of ", measures.layers, " blocks"));
    std::vector<LayerParts> out;
    for (const Json& block : *configs) {
        if (!block.is_object()) return fields.wrong("block_configs", "a list of objects");
        const ConfigFields each(block, fields.what());
        TRY(const ConfigFields attention, each.inside("attention"));
        TRY(const ConfigFields ffn, each.inside("ffn"));
        LayerParts parts;
        TRY(parts.mixer, deci_attention(fields, attention, measures));
        TRY(parts.feed_forward, deci_feed_forward(ffn, measures));
        out.push_back(parts);
    }
    return out;
}

Result<std::vector<LayerParts>> read_falcon_h1(const ConfigFields& fields,
                                               ModelMeasures& measures) {
    TRY(const AttentionReader attention, AttentionReader::read(fields, measures, 0));
    TRY(const MixerGeometry mamba, read_mamba2(fields, measures));
    TRY(const auto feed_forward, read_feed_forward(fields, measures));
    const uint64_t norms = uint64_t{measures.traits.norms} * measures.d_model;
    LayerParts first{.mixer = attention.mixer(0, LookBack::full), .feed_forward = {}};
    first.mixer.params -= norms;  // the two share them
    first.mixer.whole_params -= norms;
    std::vector<LayerParts> out;
    for (uint32_t i = 0; i < measures.layers; ++i) {
        out.push_back(first);
        out.push_back({.mixer = mamba, .feed_forward = feed_forward[i]});
    }
    return out;
}

}  // namespace brigada
