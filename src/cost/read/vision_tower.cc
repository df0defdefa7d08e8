#include "cost/read/vision_tower.h"

#include "base/concat.h"

namespace brigada {

namespace {

/// Blocks of a vision transformer, patch embedding, positions, and two matrices into the text
/// model.
Result<uint64_t> tower_params(const ConfigFields& vision, const ModelMeasures& measures) {
    TRY(const uint64_t layers,
        vision.count_or({"num_hidden_layers", "depth", "vt_num_hidden_layers"}, kMostLayers, 0));
    TRY(const uint64_t width,
        vision.count_or({"hidden_size", "vt_hidden_size", "embed_dim"}, kMostWidth, 0));
    TRY(const uint64_t inner,
        vision.count_or({"intermediate_size", "vt_intermediate_size"}, kMostInner, 4 * width));
    TRY(const uint64_t qkv, vision.count_or({"qkv_hidden_size"}, kMostWidth, width));
    TRY(const uint64_t patch, vision.count_or({"patch_size"}, 1 << 10, 16));
    TRY(const uint64_t merge, vision.count_or({"spatial_merge_size"}, 1 << 6, 1));
    TRY(const std::string type, vision.text_or("model_type", ""));
    const bool gated = type == "pixtral" || type == "gemma4_vision";
    const uint64_t block = 4 * width * qkv + (gated ? 3 : 2) * width * inner;
    const uint64_t merged = width * merge * merge;
    return layers * block + 3 * patch * patch * width + merged * measures.d_model +
           (merge > 1 ? merged * merged : 0);
}

}  // namespace

Result<uint64_t> read_vision_params(const ConfigFields& outer, ModelMeasures& measures) {
    if (!outer.has("vision_config")) return uint64_t{0};
    TRY(const ConfigFields vision, outer.inside("vision_config"));
    TRY(const uint64_t params, tower_params(vision, measures));
    if (params == 0) {
        measures.assume("the vision part is not counted: vision_config has no layers");
        return uint64_t{0};
    }
    measures.assume(concat("the vision part has about ", params / 1'000'000,
                           " million parameters, estimated from vision_config"));
    return params;
}

}  // namespace brigada
