#include "cost/rank_weights.h"

#include <cmath>

namespace brigada {

namespace {

double ceil_share(uint32_t heads, uint32_t ranks) {
    return static_cast<double>((heads + ranks - 1) / ranks) / heads;
}

/// Norms, routers and MLA's way down lie whole on each rank; the matrices for keys and values with
/// the heads that the rank has, which are more than its part where there are more ranks than heads.
double attention_and_dense(const LayerGeometry& layer, const ModelGeometry& model, uint32_t tp) {
    const auto attention = static_cast<double>(layer.attention_params);
    const auto dense = static_cast<double>(layer.dense_params);
    if (attention + dense == 0) return 0;
    const double whole = static_cast<double>(layer.whole_params) / (attention + dense);
    const double part = whole + (1 - whole) / tp;
    double bytes =
        part * (attention * layer.attention_param_bytes + dense * layer.dense_param_bytes);
    if (const auto* kv = std::get_if<HeadsKv>(&layer.kv); kv && kv->kv_heads > 0) {
        const double matrices =
            double(model.d_model) * kv->kv_heads * (double(kv->key_dim) + kv->value_dim);
        bytes += matrices * layer.attention_param_bytes * (ceil_share(kv->kv_heads, tp) - 1.0 / tp);
    }
    return bytes;
}

/// The inner width of an expert's part, as engines pad it, over what it is.
double padding(const LayerGeometry& layer, const ModelGeometry& model, uint32_t parts) {
    constexpr double kMatrices = 3;
    const double width = static_cast<double>(layer.expert_params) / kMatrices / model.d_model;
    const double multiple = model.expert_width_multiple;
    if (multiple <= 1 || width < 1) return 1;
    return std::ceil(width / parts / multiple) * multiple * parts / width;
}

/// Whole experts on each of the `ep` ranks, or a slice of every one on each of the `tp`.
double experts(const LayerGeometry& layer, const Placement& d) {
    if (layer.experts == 0) return 0;
    const bool apart = d.ep > 1;
    const double here = apart ? std::ceil(double(layer.experts) / d.ep) : layer.experts;
    return here * static_cast<double>(layer.expert_params) * layer.expert_param_bytes *
           padding(layer, d.model, apart ? 1 : d.tp) / (apart ? 1 : d.tp);
}

}  // namespace

uint64_t rank_weight_bytes(const Placement& d) {
    const ModelGeometry& model = d.model;
    double bytes = (static_cast<double>(model.embedding_params) * model.embedding_param_bytes +
                    static_cast<double>(model.other_params) * model.other_param_bytes) /
                   d.tp;
    for (const LayerGeometry& layer : model.layers)
        bytes += attention_and_dense(layer, model, d.tp) + experts(layer, d);
    return static_cast<uint64_t>(std::llround(bytes));
}

}  // namespace brigada
