// AttentionLayer: softmax attention with grouped KV heads, over everything before or a sliding
// window; the mixer of llama, mistral, qwen2 and qwen3. It owns the KV bytes of its layer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/layer.h"
#include "engine/paged_memory.h"
#include "engine/rope_table.h"
#include "engine/weights.h"
#include "kernels/attention.h"
#include "kernels/matmul.h"

namespace brigada {

class AttentionLayer : public Mixer {
  public:
    /// `prefix` is "blk.N."; `rope` must outlive the layer.
    static Result<std::unique_ptr<AttentionLayer>> load(WeightLoader& weights, uint32_t layer,
                                                        const std::string& prefix,
                                                        const RopeTable& rope, KvType kv_type);

    uint64_t kv_bytes_per_block() const override { return layout_.block_bytes(); }
    Result<void> allocate_kv(uint32_t blocks) override;
    void copy_block(BlockId from, BlockId to) override;
    void mix(const StepBatch& batch, const float* x, float* residual,
             ComputeContext& compute) override;

  private:
    AttentionLayer(Matrix q, Matrix k, Matrix v, Matrix o, const RopeTable& rope);

    void project(size_t rows, const float* x, ComputeContext& compute);
    void norm_and_rotate(const StepBatch& batch, ComputeContext& compute);
    void store(const StepBatch& batch, ComputeContext& compute);
    void attend_all(const StepBatch& batch, ComputeContext& compute);

    size_t q_width() const { return size_t{shape_.heads} * shape_.head_dim; }
    size_t kv_width() const { return size_t{shape_.kv_heads} * shape_.head_dim; }

    Matrix q_, k_, v_, o_;
    std::vector<float> q_bias_, k_bias_, v_bias_, o_bias_;  // empty: none
    std::vector<float> q_norm_, k_norm_;                    // [head_dim]; empty: none
    float norm_eps_ = 0;
    const RopeTable& rope_;
    AttentionShape shape_;
    KvLayout layout_;
    PagedMemory memory_;
    KvArena arena_;

    // Scratch of one step: [rows][q_width] and [rows][kv_width].
    std::vector<float> q_rows_, k_rows_, v_rows_, mixed_;
    std::vector<RopeAngles> angles_;
    std::vector<KvRows> kv_rows_;
    std::vector<AttentionChunk> chunks_;
};

}  // namespace brigada
