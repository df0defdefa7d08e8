// Attention of a layer as a MixerGeometry: heads with keys and values, one latent for all heads
// (MLA), with a sparse indexer or without.
#pragma once

#include "base/result.h"
#include "cost/read/layer_kinds.h"
#include "cost/read/layer_parts.h"
#include "cost/read/model_measures.h"

namespace brigada {

/// Reads what the layers of a model share, then gives each its MixerGeometry.
class AttentionReader {
  public:
    static Result<AttentionReader> read(const ConfigFields& fields, ModelMeasures& measures,
                                        uint32_t window);

    /// Of layer `i`; look is full or window.
    MixerGeometry mixer(uint32_t i, LookBack look) const;
    uint32_t heads() const { return full_.heads; }

  private:
    struct Heads {
        uint32_t heads = 0;
        uint32_t kv_heads = 0;
        uint32_t key_dim = 0;
        uint32_t value_dim = 0;
        bool value_is_key = false;  // no matrix of its own makes the values
    };
    struct Latent {
        uint32_t query_rank = 0;  // 0: queries come from one matrix
        uint32_t rank = 0;        // 0: no MLA
        uint32_t nope = 0, rope = 0, value_dim = 0;
        uint32_t indexer_heads = 0, indexer_dim = 0, indexer_top = 0;
        bool output_gate = false;
    };

    AttentionReader() = default;

    Result<void> read_heads(const ConfigFields& fields, const ModelMeasures& measures);
    Result<void> read_window_heads(const ConfigFields& fields);
    Result<void> read_global_heads(const ConfigFields& fields);
    Result<void> read_latent(const ConfigFields& fields, ModelMeasures& measures);
    Result<void> read_indexer(const ConfigFields& fields, ModelMeasures& measures);
    Result<void> read_small_parts(const ConfigFields& fields, const ModelMeasures& measures);
    MixerGeometry heads_mixer(const Heads& heads, uint32_t window, bool owns_kv) const;
    MixerGeometry latent_mixer(bool has_indexer) const;

    uint64_t d_model_ = 0;
    uint32_t window_ = 0;
    uint32_t norms_ = 0;
    uint32_t first_shared_ = 0;  // layers from here on use another layer's KV
    Heads full_, windowed_;
    Latent latent_;
    std::vector<bool> indexer_shared_;  // that layer uses another's choice of positions
    QkNorm qk_norm_ = QkNorm::none;
    bool qkv_bias_ = false, output_bias_ = false, gate_ = false, sinks_ = false;
};

}  // namespace brigada
