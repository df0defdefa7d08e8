// Attention over paged KV. attend() takes chunks of sequences, from one decoded token to a prefill
// of thousands, and a query's result is bit-identical whatever chunk it comes in, whatever else is
// in the call and however many threads run: keys are cut at fixed absolute positions into spans, a
// softmax runs along each span, and spans merge in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/ids.h"
#include "hw/cpu.h"
#include "kernels/kv_layout.h"
#include "kernels/pool.h"

namespace brigada {

struct AttentionKernels;  // attention_kernels.h

/// The kernels of one instruction set, which this machine must run.
const AttentionKernels& attention_kernels(Isa isa);

struct AttentionShape {
    uint32_t heads = 0;
    uint32_t kv_heads = 0;  // divides heads; each serves heads / kv_heads consecutive heads
    uint32_t head_dim = 0;  // a multiple of 8
    float scale = 0;        // of the scores, usually 1 / sqrt(head_dim)
    uint32_t window = 0;    // a query sees its own and the window - 1 positions before; 0: all
};

/// Keys and values of `count` consecutive tokens of a sequence, to be written.
///   k, v    [count][kv_heads][head_dim], tokens `stride` floats apart
///   blocks  the sequence's block table; only blocks that hold these positions are touched
struct KvRows {
    const float* k = nullptr;
    const float* v = nullptr;
    size_t stride = 0;
    uint32_t first_position = 0;
    uint32_t count = 0;
    std::span<const BlockId> blocks;
};

/// Stores the rows in the arena's type: rounded to nearest even; beyond f16's largest number
/// (65504) clamped to it, because an infinite key would turn every later score into NaN.
void write_kv(const AttentionKernels& kernels, std::span<const KvRows> rows, const KvArena& arena,
              Pool& pool);

/// `count` consecutive queries of a sequence, which stand at first_position, first_position + 1,
/// ...
///   q       [count][heads][head_dim], tokens `q_stride` floats apart
///   out     [count][heads][head_dim], tokens `out_stride` floats apart; overwritten
///   blocks  the sequence's block table, covering the last position. Entries wholly before the
///   window
///           are not read. Keys and values up to the last position must have been written.
struct AttentionChunk {
    const float* q = nullptr;
    float* out = nullptr;
    size_t q_stride = 0;
    size_t out_stride = 0;
    uint32_t first_position = 0;
    uint32_t count = 0;
    std::span<const BlockId> blocks;
};

/// Memory of attend(), kept from call to call; grows to what the largest call needs: for each
/// thread less than 150 KiB at head_dim 128, and for decode one partial result per 512 keys, head
/// and query.
class AttentionScratch {
  public:
    AttentionScratch();
    ~AttentionScratch();
    AttentionScratch(AttentionScratch&&) noexcept;
    AttentionScratch& operator=(AttentionScratch&&) noexcept;

    struct Parts;
    Parts& parts() { return *parts_; }

  private:
    std::unique_ptr<Parts> parts_;
};

/// out = softmax(scale * q K^T) V, causal, within the window. Decodes of sequences that share
/// leading blocks read those once. Error: see attention_test.cc for the bound and its derivation.
void attend(const AttentionKernels& kernels, std::span<const AttentionChunk> chunks,
            const AttentionShape& shape, const KvArena& arena, AttentionScratch& scratch,
            Pool& pool);

}  // namespace brigada
