// The two halves of a decoder layer as the transformer sees them. A mixer moves information between
// positions and owns the state that takes (KV blocks, or what a linear-attention layer keeps); a
// feed-forward works on each row alone. A new kind of layer is a new file that implements one of
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "base/result.h"
#include "engine/compute_context.h"
#include "engine/step_batch.h"

namespace brigada {

class Mixer {
  public:
    virtual ~Mixer() = default;

    /// Bytes this layer keeps per block of tokens.
    virtual uint64_t kv_bytes_per_block() const = 0;

    /// Makes room for `blocks` blocks; called once, before mix. Error::exhausted says how much
    /// memory was asked for.
    virtual Result<void> allocate_kv(uint32_t blocks) = 0;

    /// Block `to` becomes a copy of block `from`.
    virtual void copy_block(BlockId from, BlockId to) = 0;

    /// residual[rows][d_model] += what each row takes from the rows before it. Writes the state of
    /// the batch's tokens, then reads it.
    ///   x  [rows][d_model], normalised; may not overlap residual
    virtual void mix(const StepBatch& batch, const float* x, float* residual,
                     ComputeContext& compute) = 0;
};

class FeedForward {
  public:
    virtual ~FeedForward() = default;

    /// residual[rows][d_model] += f(x[rows][d_model]), row by row; they may not overlap.
    virtual void apply(size_t rows, const float* x, float* residual, ComputeContext& compute) = 0;
};

}  // namespace brigada
