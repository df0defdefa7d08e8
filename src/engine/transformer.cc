#include "engine/transformer.h"

#include <cstring>
#include <utility>

#include "engine/attention_layer.h"
#include "engine/swiglu.h"
#include "kernels/quant_block.h"

namespace brigada {

Transformer::Transformer(const Model& model, const TransformerOptions& options)
    : config_(model.config()),
      embedding_(model.tensor("token_embd.weight")),
      compute_(options.threads, options.isa),
      rope_(model.config().rope, options.max_context) {}

Result<std::unique_ptr<Transformer>> Transformer::load(const Model& model,
                                                       const TransformerOptions& options,
                                                       WeightsProgress progress) {
    std::unique_ptr<Transformer> out(new Transformer(model, options));
    WeightLoader weights(model, options.compute, out->compute_, std::move(progress));
    TRY(out->load_layers(weights, options.kv_type));
    out->output_norm_ = weights.vector("output_norm.weight");
    TRY(out->output_, weights.matrix(model.output()));
    out->weight_bytes_ = weights.matrix_bytes();
    return out;
}

Result<void> Transformer::load_layers(WeightLoader& weights, KvType kv_type) {
    for (uint32_t i = 0; i < config_.layers; ++i) {
        const std::string prefix = concat("blk.", i, ".");
        Layer layer;
        layer.mixer_norm = weights.vector(prefix + "attn_norm.weight");
        layer.feed_forward_norm = weights.vector(prefix + "ffn_norm.weight");
        TRY(layer.mixer, AttentionLayer::load(weights, i, prefix, rope_, kv_type));
        TRY(layer.feed_forward, SwiGlu::load(weights, prefix));
        layers_.push_back(std::move(layer));
    }
    return {};
}

uint64_t Transformer::kv_bytes_per_block() const {
    uint64_t sum = 0;
    for (const Layer& layer : layers_)
        sum += layer.mixer->kv_bytes_per_block();
    return sum;
}

Result<void> Transformer::allocate_kv(uint32_t blocks) {
    for (Layer& layer : layers_)
        TRY(layer.mixer->allocate_kv(blocks));
    return {};
}

void Transformer::copy_block(BlockId from, BlockId to) {
    for (Layer& layer : layers_)
        layer.mixer->copy_block(from, to);
}

void Transformer::forward(const StepBatch& batch, float* logits) {
    if (batch.rows() == 0) return;
    embed(batch);
    for (Layer& layer : layers_)
        run_layer(layer, batch);
    const size_t rows = gather_logit_rows(batch);
    if (rows == 0) return;
    norm(last_.data(), rows, output_norm_, normed_.data());
    matmul(*output_, normed_.data(), rows, logits, compute_.matmul_scratch(), compute_.pool());
}

void Transformer::embed(const StepBatch& batch) {
    const size_t width = config_.d_model;
    residual_.resize(batch.rows() * width);
    normed_.resize(batch.rows() * width);
    float* row = residual_.data();
    for (const StepChunk& chunk : batch.chunks()) {
        for (TokenId token : chunk.tokens) {
            dequantise_row(weight_type(embedding_.dtype), embedding_.row(raw(token)), {row, width});
            row += width;
        }
    }
}

void Transformer::run_layer(Layer& layer, const StepBatch& batch) {
    const size_t rows = batch.rows();
    norm(residual_.data(), rows, layer.mixer_norm, normed_.data());
    layer.mixer->mix(batch, normed_.data(), residual_.data(), compute_);
    norm(residual_.data(), rows, layer.feed_forward_norm, normed_.data());
    layer.feed_forward->apply(rows, normed_.data(), residual_.data(), compute_);
}

void Transformer::norm(const float* x, size_t rows, const std::vector<float>& weight, float* out) {
    const size_t width = weight.size();
    rms_norm(compute_.elementwise(), ConstRows{x, rows, width, width}, weight.data(),
             config_.norm_eps, Rows{out, rows, width, width}, compute_.pool());
}

/// Copies the last row of every chunk that wants logits into last_; how many there are.
size_t Transformer::gather_logit_rows(const StepBatch& batch) {
    const size_t width = config_.d_model;
    last_.resize(batch.logit_rows() * width);
    size_t end = 0, wanted = 0;
    for (const StepChunk& chunk : batch.chunks()) {
        end += chunk.tokens.size();
        if (!chunk.wants_logits) continue;
        std::memcpy(last_.data() + wanted++ * width, residual_.data() + (end - 1) * width,
                    width * sizeof(float));
    }
    return wanted;
}

}  // namespace brigada
