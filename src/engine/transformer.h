// Transformer: a decoder with pre-norm residual layers, from tokens to logits. It knows layers only
// as a mixer and a feed-forward; which kinds a model has is decided once, when it is loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/compute_context.h"
#include "engine/layer.h"
#include "engine/rope_table.h"
#include "engine/step_batch.h"
#include "engine/weights.h"
#include "kernels/kv_layout.h"
#include "model/model.h"

namespace brigada {

struct TransformerOptions {
    unsigned threads = 1;
    Isa isa = Isa::portable;
    Compute compute = Compute::fast;
    KvType kv_type = KvType::f16;
    uint32_t max_context = 0;  // positions that may occur
};

class Transformer {
  public:
    /// Repacks the weights. `model` must outlive the transformer: embeddings stay in its file.
    static Result<std::unique_ptr<Transformer>> load(const Model& model,
                                                     const TransformerOptions& options,
                                                     WeightsProgress progress);

    /// KV bytes of one block over all layers.
    uint64_t kv_bytes_per_block() const;

    /// Once, before the first forward.
    Result<void> allocate_kv(uint32_t blocks);

    void copy_block(BlockId from, BlockId to);

    /// logits [batch.logit_rows()][vocab()]: one row per chunk that wants them, in order. Writes
    /// the KV of every token of the batch.
    void forward(const StepBatch& batch, float* logits);

    size_t vocab() const { return output_->rows(); }
    /// Bytes of weights that decoding one token reads.
    uint64_t weight_bytes() const { return weight_bytes_; }

  private:
    struct Layer {
        std::vector<float> mixer_norm;
        std::unique_ptr<Mixer> mixer;
        std::vector<float> feed_forward_norm;
        std::unique_ptr<FeedForward> feed_forward;
    };

    Transformer(const Model& model, const TransformerOptions& options);

    Result<void> load_layers(WeightLoader& weights, KvType kv_type);
    void embed(const StepBatch& batch);
    void run_layer(Layer& layer, const StepBatch& batch);
    void norm(const float* x, size_t rows, const std::vector<float>& weight, float* out);
    size_t gather_logit_rows(const StepBatch& batch);

    const ModelConfig& config_;
    const Tensor& embedding_;
    ComputeContext compute_;
    RopeTable rope_;
    std::vector<Layer> layers_;
    std::vector<float> output_norm_;
    std::optional<Matrix> output_;  // set by load()
    uint64_t weight_bytes_ = 0;

    // Scratch of one step, [rows][d_model].
    std::vector<float> residual_, normed_, last_;
};

}  // namespace brigada
