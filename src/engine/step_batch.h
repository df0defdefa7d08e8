// StepBatch: the work of one pass through the model, as the layers see it: chunks of sequences,
// laid one after another into rows. What a row's result is never depends on its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace brigada {

/// `tokens` stand at positions first_position, first_position + 1, ... of their sequence, whose KV
/// lies in `blocks` (its block table, covering all of them).
struct StepChunk {
    std::span<const TokenId> tokens;
    uint32_t first_position = 0;
    std::span<const BlockId> blocks;
    bool wants_logits = false;  // of its last token
};

class StepBatch {
  public:
    void add(StepChunk chunk) {
        rows_ += chunk.tokens.size();
        logit_rows_ += chunk.wants_logits;
        chunks_.push_back(chunk);
    }
    void clear() {
        chunks_.clear();
        rows_ = logit_rows_ = 0;
    }

    std::span<const StepChunk> chunks() const { return chunks_; }
    size_t rows() const { return rows_; }
    size_t logit_rows() const { return logit_rows_; }

  private:
    std::vector<StepChunk> chunks_;
    size_t rows_ = 0;
    size_t logit_rows_ = 0;
};

}  // namespace brigada
