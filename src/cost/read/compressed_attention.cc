#include "cost/read/compressed_attention.h"

#include "base/concat.h"

namespace brigada {

namespace {

struct Measures {
    uint64_t d_model = 0, heads = 0, latent = 0, query_rank = 0, groups = 0, output_rank = 0;
    uint64_t indexer_heads = 0, indexer_dim = 0;
    uint32_t indexer_top = 0, window = 0;
    uint32_t norms = 0;
};

/// Blocks of four positions overlap by one block, so that ratio's compressor is twice as wide.
constexpr uint32_t kOverlapping = 4;

uint64_t overlap(uint32_t ratio) {
    return ratio == kOverlapping ? 2 : 1;
}

/// Two matrices (values and their weights in the mean), a position embedding and a norm.
uint64_t compressor_params(uint64_t d_model, uint64_t width, uint32_t ratio) {
    return 2 * d_model * overlap(ratio) * width + ratio * overlap(ratio) * width + width;
}

/// What a block under way needs: values and weights of `ratio` positions, in fp32.
uint64_t compressor_state(uint64_t width, uint32_t ratio) {
    return 2 * uint64_t{ratio} * overlap(ratio) * width * sizeof(float);
}

MixerGeometry mixer(const Measures& m, uint32_t ratio) {
    MixerGeometry out{.heads = static_cast<uint32_t>(m.heads)};
    CompressedKv kv{.latent = static_cast<uint32_t>(m.latent), .window = m.window, .ratio = ratio};
    out.whole_params =
        m.norms * m.d_model + m.d_model * (m.query_rank + m.latent) + m.query_rank + m.latent;
    if (ratio != 0) {
        out.whole_params += compressor_params(m.d_model, m.latent, ratio);
        kv.state_bytes = compressor_state(m.latent, ratio);
    }
    if (ratio == kOverlapping && m.indexer_dim != 0) {
        out.whole_params += compressor_params(m.d_model, m.indexer_dim, ratio) +
                            m.query_rank * m.indexer_heads * m.indexer_dim +
                            m.d_model * m.indexer_heads;
        kv.state_bytes += compressor_state(m.indexer_dim, ratio);
        kv.indexer_bytes = static_cast<uint32_t>(m.indexer_dim / 2);  // fp4
        kv.indexer_heads = static_cast<uint32_t>(m.indexer_heads);
        kv.indexer_top = m.indexer_top;
    }
    out.params = out.whole_params + m.query_rank * m.heads * m.latent +
                 m.heads * m.latent * m.output_rank + m.groups * m.output_rank * m.d_model +
                 m.heads;
    out.kv = kv;
    return out;
}

}  // namespace

Result<std::vector<MixerGeometry>> read_compressed_attention(const ConfigFields& fields,
                                                             ModelMeasures& measures) {
    Measures m{.d_model = measures.d_model, .norms = measures.traits.norms};
    TRY(m.heads, fields.needed({"num_attention_heads"}, kMostHeads));
    TRY(m.latent, fields.needed({"head_dim"}, kMostInner >> 8));
    TRY(m.query_rank, fields.needed({"q_lora_rank"}, kMostWidth));
    TRY(m.groups, fields.needed({"o_groups"}, kMostHeads));
    TRY(m.output_rank, fields.needed({"o_lora_rank"}, kMostInner >> 8));
    TRY(m.window, fields.needed({"sliding_window"}, kMostTokens));
    TRY(m.indexer_dim, fields.count_or({"index_head_dim"}, kMostInner >> 8, 0));
    TRY(m.indexer_heads, fields.count_or({"index_n_heads"}, kMostHeads, 0));
    TRY(m.indexer_top, fields.count_or({"index_topk"}, kMostTokens, 0));
    TRY(const uint32_t further, fields.count_or({"num_nextn_predict_layers"}, kMostLayers, 0));
    TRY(const auto ratios, fields.counts("compress_ratios", 1 << 16));
    if (ratios.size() != measures.layers && ratios.size() != uint64_t{measures.layers} + further)
        return Error{Code::corrupt, concat(fields.what(), ": compress_ratios has ", ratios.size(),
                                           " entries; num_hidden_layers is ", measures.layers,
                                           " and num_nextn_predict_layers ", further)};
    if (ratios.size() > measures.layers)
        measures.assume(concat("the window of ", further,
                               " layer(s) that predict further tokens is kept, their weights are "
                               "not counted"));
    std::vector<MixerGeometry> out;
    for (const uint32_t ratio : ratios)
        out.push_back(mixer(m, ratio));
    return out;
}

}  // namespace brigada
