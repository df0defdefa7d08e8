// Placement: one replica of a model on some accelerators, and what fits there: weights, KV,
// blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cost/accelerator.h"
#include "cost/geometry.h"
#include "cost/kv_size.h"

namespace brigada {

struct Placement {
    ModelGeometry model;
    Accelerator accelerator;
    uint32_t tp = 1;  // tensor parallel ranks
    uint32_t dp = 1;  // data parallel ranks of attention (with ep), each with KV of its own
    uint32_t ep = 1;  // expert parallel ranks: 1 or tp * dp
    KvDtype kv_dtype = KvDtype::bf16;
    double utilisation = 0.9;  // of the memory, what the engine may take
    uint32_t max_num_seqs = 256;
    uint32_t step_tokens = 2048;  // max_num_batched_tokens
    uint32_t max_context = 0;     // 0: the model's

    uint32_t accelerators() const { return tp * dp; }
};

/// Bytes of one rank; tokens and blocks of one replica.
struct MemoryBudget {
    uint64_t memory = 0;  // usable x utilisation
    uint64_t weights = 0;
    uint64_t activations = 0;  // peak of a step
    uint64_t engine = 0;       // runtime, graphs, collectives
    uint64_t kv = 0;           // what is left for KV
    KvSize kv_size;
    uint64_t blocks = 0;           // of one data parallel rank
    uint64_t sequence_blocks = 0;  // of those, what a sequence takes for its windows and states
    uint64_t kv_tokens = 0;  // of the replica, all data parallel ranks together, in sequences of
                             // max_context tokens
};

/// Error::unsupported or Error::too_large with the reason and what would work: tp that does not
/// divide the heads, weights that do not fit (and the smallest tp that does), tp on MIG slices,
/// more ranks than are linked.
Result<MemoryBudget> memory_budget(const Placement& deployment);

}  // namespace brigada
