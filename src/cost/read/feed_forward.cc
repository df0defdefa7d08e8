#include "cost/read/feed_forward.h"

#include <algorithm>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr ConfigFields::Names kExperts = {"num_experts", "n_routed_experts", "num_local_experts",
                                          "moe_num_experts"};
constexpr ConfigFields::Names kPerToken = {"num_experts_per_tok", "num_experts_per_token",
                                           "experts_per_token", "top_k_experts", "moe_k"};

uint64_t matrices(const ModelMeasures& measures) {
    return measures.traits.gated ? 3 : 2;
}

/// How wide the shared experts are together; 0: there are none.
Result<uint64_t> read_shared_width(const ConfigFields& fields, const ModelMeasures& measures,
                                   uint64_t expert_width) {
    TRY(const auto stated,
        fields.count({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                      "share_expert_dim", "shared_intermediate_size"},
                     kMostInner));
    TRY(const auto number,
        fields.count({"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}, 1 << 8));
    if (stated) return number && *number == 0 ? uint64_t{0} : uint64_t{*stated};
    if (number) return *number * expert_width;
    return measures.traits.type == "llama4_text" ? expert_width : uint64_t{0};
}

/// Layers with experts, as a list of 0 and 1, an interval, or everything after the first dense
/// ones.
class ExpertLayers {
  public:
    static Result<ExpertLayers> read(const ConfigFields& fields, const ModelMeasures& measures) {
        ExpertLayers out;
        out.has_.assign(measures.layers, true);
        TRY(out.apply_first(fields));
        TRY(out.apply_frequency(fields));
        TRY(out.apply_step(fields));
        TRY(out.apply_period(fields));
        TRY(out.apply_lists(fields));
        return out;
    }

    bool has(uint32_t i) const { return has_[i]; }

  private:
    template <typename Condition>
    void keep(Condition condition) {
        for (uint32_t i = 0; i < has_.size(); ++i)
            has_[i] = has_[i] && condition(i);
    }

    Result<void> apply_first(const ConfigFields& fields) {
        TRY(const uint32_t first,
            fields.count_or({"first_k_dense_replace", "moe_layer_start_index"}, kMostLayers, 0));
        keep([&](uint32_t i) { return i >= first; });
        return {};
    }

    Result<void> apply_frequency(const ConfigFields& fields) {
        const Json* value = fields.find("moe_layer_freq");
        if (!value) return {};
        if (value->is_array()) {
            TRY(const auto list, fields.counts("moe_layer_freq", 1, has_.size()));
            keep([&](uint32_t i) { return list[i] != 0; });
            return {};
        }
        TRY(const uint32_t each, fields.needed({"moe_layer_freq"}, kMostLayers));
        keep([&](uint32_t i) { return i % each == 0; });
        return {};
    }

    Result<void> apply_step(const ConfigFields& fields) {
        for (const std::string_view key : {"decoder_sparse_step", "interleave_moe_layer_step"}) {
            if (!fields.has(key)) continue;
            TRY(const uint32_t step, fields.needed({key}, kMostLayers));
            keep([&](uint32_t i) { return (i + 1) % step == 0; });
        }
        return {};
    }

    Result<void> apply_period(const ConfigFields& fields) {
        if (!fields.has("expert_layer_period")) return {};
        TRY(const uint32_t period, fields.needed({"expert_layer_period"}, kMostLayers));
        TRY(const uint32_t offset, fields.count_or({"expert_layer_offset"}, kMostLayers, 0));
        keep([&](uint32_t i) { return i % period == offset; });
        return {};
    }

    Result<void> apply_lists(const ConfigFields& fields) {
        TRY(const auto dense, fields.counts("mlp_only_layers", kMostLayers));
        keep([&](uint32_t i) { return std::ranges::find(dense, i) == dense.end(); });
        TRY(const auto types, fields.texts("mlp_layer_types", has_.size()));
        if (!types.empty()) keep([&](uint32_t i) { return types[i] != "dense"; });
        return {};
    }

    std::vector<bool> has_;
};

Result<uint32_t> read_expert_count(const ConfigFields& fields) {
    return fields.count_or(kExperts, kMostExperts, 0);
}

/// Of layers without experts, in a model where others have them.
Result<uint32_t> read_dense_width(const ConfigFields& fields) {
    return fields.needed({"dense_intermediate_size", "intermediate_size_mlp", "intermediate_size"},
                         kMostInner);
}

/// Gemma 4's layers have a dense part beside the experts, each with norms of its own.
Result<void> add_parallel_dense(const ConfigFields& fields, const ModelMeasures& measures,
                                FeedForwardGeometry& part) {
    TRY(const bool both, fields.flag_or("enable_moe_block", false));
    if (!both) return {};
    TRY(const uint64_t width, read_dense_width(fields));
    constexpr uint64_t kNorms = 3;
    part.dense_params += matrices(measures) * measures.d_model * width + kNorms * measures.d_model;
    part.whole_params += kNorms * measures.d_model;
    part.dense_matrix = "mlp.gate_proj";
    return {};
}

}  // namespace

FeedForwardGeometry dense_feed_forward(const ModelMeasures& measures, uint64_t width) {
    return {.dense_params = matrices(measures) * measures.d_model * width};
}

Result<FeedForwardGeometry> read_experts(const ConfigFields& fields,
                                         const ModelMeasures& measures) {
    FeedForwardGeometry part;
    TRY(part.experts, fields.needed(kExperts, kMostExperts));
    TRY(part.experts_per_token, fields.needed(kPerToken, kMostExperts));
    if (part.experts_per_token > part.experts)
        return Error{Code::corrupt,
                     concat(fields.what(), ": num_experts_per_tok is ", part.experts_per_token,
                            " of ", part.experts, " experts")};
    TRY(const uint64_t width,
        fields.needed({"moe_intermediate_size", "expert_intermediate_size", "intermediate_size"},
                      kMostInner));
    TRY(const uint64_t inner_model,
        fields.count_or({"moe_latent_size", "routed_expert_hidden_size"}, kMostWidth,
                        measures.d_model));
    TRY(const uint64_t shared, read_shared_width(fields, measures, width));
    const uint64_t d = measures.d_model;
    const bool biases = measures.traits.type == "gpt_oss";
    part.expert_params = matrices(measures) * inner_model * width;
    if (biases) part.expert_params += 2 * width + inner_model;
    part.whole_params = d * part.experts + (biases ? part.experts : 0);
    if (measures.traits.shared_gate && shared != 0) part.whole_params += d;
    part.dense_params = part.whole_params + matrices(measures) * d * shared;
    if (inner_model != d) part.dense_params += 2 * d * inner_model;
    part.dense_matrix = shared == 0                   ? ""
                        : measures.traits.shared_gate ? "mlp.shared_expert.gate_proj"
                                                      : "mlp.shared_experts.gate_proj";
    return part;
}

Result<std::vector<FeedForwardGeometry>> read_feed_forward(const ConfigFields& fields,
                                                           ModelMeasures& measures) {
    TRY(const uint32_t experts, read_expert_count(fields));
    if (experts <= 1) {
        TRY(const uint64_t width, fields.needed({"intermediate_size", "n_inner"}, kMostInner));
        return std::vector(measures.layers, dense_feed_forward(measures, width));
    }
    TRY(FeedForwardGeometry sparse, read_experts(fields, measures));
    TRY(add_parallel_dense(fields, measures, sparse));
    TRY(const ExpertLayers layers, ExpertLayers::read(fields, measures));
    std::vector<FeedForwardGeometry> out;
    for (uint32_t i = 0; i < measures.layers; ++i) {
        if (layers.has(i)) {
            out.push_back(sparse);
            continue;
        }
        TRY(const uint64_t width, read_dense_width(fields));
        out.push_back(dense_feed_forward(measures, width));
    }
    return out;
}

}  // namespace brigada
