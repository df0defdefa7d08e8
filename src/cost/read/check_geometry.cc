#include "cost/read/check_geometry.h"

#include "base/concat.h"

namespace brigada {

namespace {

/// A hundred times the largest model there is.
constexpr double kMostParams = 2e14;

/// An exabyte.
constexpr double kMostKv = 1e18;

double params_of(const LayerGeometry& layer) {
    return static_cast<double>(layer.attention_params) + static_cast<double>(layer.dense_params) +
           static_cast<double>(layer.expert_params) * layer.experts;
}

/// In 32-bit numbers, over the whole context.
struct KvOf {
    double context;

    double operator()(const HeadsKv& kv) const {
        return 4 * context * kv.kv_heads * (double(kv.key_dim) + kv.value_dim);
    }
    double operator()(const LatentKv& kv) const {
        return context * (4 * (double(kv.latent) + kv.rope) + kv.indexer_bytes);
    }
    double operator()(const CompressedKv& kv) const {
        return context * (4.0 * kv.latent + kv.indexer_bytes) + static_cast<double>(kv.state_bytes);
    }
    double operator()(const StateKv& kv) const { return static_cast<double>(kv.bytes); }
    double operator()(const NoKv&) const { return 0; }
};

}  // namespace

Result<void> check_geometry(const ModelGeometry& g, std::string_view what) {
    double params = static_cast<double>(g.embedding_params) + static_cast<double>(g.other_params);
    double kv = 0;
    for (const LayerGeometry& layer : g.layers) {
        params += params_of(layer);
        kv += std::visit(KvOf{static_cast<double>(g.max_context)}, layer.kv);
    }
    if (params > kMostParams)
        return Error{Code::corrupt, concat(what, ": its fields make a model of ", params,
                                           " parameters; up to ", kMostParams, " are believed")};
    if (kv > kMostKv)
        return Error{Code::corrupt,
                     concat(what, ": its fields make KV of ", kv, " bytes for a sequence of ",
                            g.max_context, " tokens; up to ", kMostKv, " are believed")};
    return {};
}

}  // namespace brigada
