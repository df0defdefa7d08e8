#include "engine/attention_layer.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace brigada {

AttentionLayer::AttentionLayer(Matrix q, Matrix k, Matrix v, Matrix o, const RopeTable& rope)
    : q_(std::move(q)), k_(std::move(k)), v_(std::move(v)), o_(std::move(o)), rope_(rope) {}

Result<std::unique_ptr<AttentionLayer>> AttentionLayer::load(WeightLoader& weights, uint32_t layer,
                                                             const std::string& prefix,
                                                             const RopeTable& rope,
                                                             KvType kv_type) {
    TRY(Matrix q, weights.matrix(prefix + "attn_q"));
    TRY(Matrix k, weights.matrix(prefix + "attn_k"));
    TRY(Matrix v, weights.matrix(prefix + "attn_v"));
    TRY(Matrix o, weights.matrix(prefix + "attn_output"));
    std::unique_ptr<AttentionLayer> out(
        new AttentionLayer(std::move(q), std::move(k), std::move(v), std::move(o), rope));
    out->q_bias_ = weights.optional_vector(prefix + "attn_q.bias");
    out->k_bias_ = weights.optional_vector(prefix + "attn_k.bias");
    out->v_bias_ = weights.optional_vector(prefix + "attn_v.bias");
    out->o_bias_ = weights.optional_vector(prefix + "attn_output.bias");
    out->q_norm_ = weights.optional_vector(prefix + "attn_q_norm.weight");
    out->k_norm_ = weights.optional_vector(prefix + "attn_k_norm.weight");

    const ModelConfig& config = weights.config();
    out->norm_eps_ = config.norm_eps;
    out->shape_ = {.heads = config.heads,
                   .kv_heads = config.kv_heads,
                   .head_dim = config.head_dim,
                   .scale = 1.0f / std::sqrt(static_cast<float>(config.head_dim)),
                   .window = 0};
    if (const auto* sliding = std::get_if<WindowAttention>(&config.layer_kinds[layer]))
        out->shape_.window = sliding->tokens;
    out->layout_ = {kv_type, config.kv_heads, config.head_dim};
    return out;
}

Result<void> AttentionLayer::allocate_kv(uint32_t blocks) {
    TRY(memory_, PagedMemory::allocate(blocks * uint64_t{layout_.block_bytes()}));
    arena_ = {layout_, memory_.data(), blocks};
    return {};
}

void AttentionLayer::copy_block(BlockId from, BlockId to) {
    std::memcpy(arena_.block(to), arena_.block(from), layout_.block_bytes());
}

void AttentionLayer::mix(const StepBatch& batch, const float* x, float* residual,
                         ComputeContext& compute) {
    project(batch.rows(), x, compute);
    norm_and_rotate(batch, compute);
    store(batch, compute);
    attend_all(batch, compute);
    matmul(o_, mixed_.data(), batch.rows(), residual, compute.matmul_scratch(), compute.pool(),
           /*accumulate=*/true);
    if (!o_bias_.empty())
        add_bias(compute.elementwise(), o_bias_.data(),
                 {residual, batch.rows(), o_.rows(), o_.rows()}, compute.pool());
}

void AttentionLayer::project(size_t rows, const float* x, ComputeContext& compute) {
    q_rows_.resize(rows * q_width());
    k_rows_.resize(rows * kv_width());
    v_rows_.resize(rows * kv_width());
    const MatmulJob jobs[] = {{&q_, q_rows_.data()}, {&k_, k_rows_.data()}, {&v_, v_rows_.data()}};
    matmul(jobs, x, rows, compute.matmul_scratch(), compute.pool());

    const auto bias = [&](const std::vector<float>& bias_row, std::vector<float>& to) {
        if (bias_row.empty()) return;
        add_bias(compute.elementwise(), bias_row.data(),
                 {to.data(), rows, bias_row.size(), bias_row.size()}, compute.pool());
    };
    bias(q_bias_, q_rows_);
    bias(k_bias_, k_rows_);
    bias(v_bias_, v_rows_);
}

void AttentionLayer::norm_and_rotate(const StepBatch& batch, ComputeContext& compute) {
    const auto head_norm = [&](const std::vector<float>& weight, std::vector<float>& rows) {
        if (weight.empty()) return;
        const Rows heads{rows.data(), rows.size() / weight.size(), weight.size(), weight.size()};
        rms_norm(compute.elementwise(), heads, weight.data(), norm_eps_, heads, compute.pool());
    };
    head_norm(q_norm_, q_rows_);
    head_norm(k_norm_, k_rows_);

    angles_.clear();
    for (const StepChunk& chunk : batch.chunks())
        for (uint32_t i = 0; i < chunk.tokens.size(); ++i)
            angles_.push_back(rope_.at(chunk.first_position + i));
    const auto rotate = [&](std::vector<float>& rows, size_t width) {
        rope(compute.elementwise(), {rows.data(), batch.rows(), width, width}, shape_.head_dim,
             rope_.dims(), rope_.pairing(), angles_, compute.pool());
    };
    rotate(q_rows_, q_width());
    rotate(k_rows_, kv_width());
}

void AttentionLayer::store(const StepBatch& batch, ComputeContext& compute) {
    kv_rows_.clear();
    size_t row = 0;
    for (const StepChunk& chunk : batch.chunks()) {
        kv_rows_.push_back({.k = k_rows_.data() + row * kv_width(),
                            .v = v_rows_.data() + row * kv_width(),
                            .stride = kv_width(),
                            .first_position = chunk.first_position,
                            .count = static_cast<uint32_t>(chunk.tokens.size()),
                            .blocks = chunk.blocks});
        row += chunk.tokens.size();
    }
    write_kv(attention_kernels(compute.isa()), kv_rows_, arena_, compute.pool());
}

void AttentionLayer::attend_all(const StepBatch& batch, ComputeContext& compute) {
    mixed_.resize(batch.rows() * q_width());
    chunks_.clear();
    size_t row = 0;
    for (const StepChunk& chunk : batch.chunks()) {
        chunks_.push_back({.q = q_rows_.data() + row * q_width(),
                           .out = mixed_.data() + row * q_width(),
                           .q_stride = q_width(),
                           .out_stride = q_width(),
                           .first_position = chunk.first_position,
                           .count = static_cast<uint32_t>(chunk.tokens.size()),
                           .blocks = chunk.blocks});
        row += chunk.tokens.size();
    }
    attend(attention_kernels(compute.isa()), chunks_, shape_, arena_, compute.attention_scratch(),
           compute.pool());
}

}  // namespace brigada
