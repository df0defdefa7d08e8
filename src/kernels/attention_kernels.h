// AttentionKernels: what one instruction set offers to attention, as a table of functions. A
// function works on one head's regions of one span of keys; which queries, heads and spans there
// are and who computes them is attention.cc's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kv_layout.h"

namespace brigada {

/// Keys are cut at multiples of this position. Within a span a softmax runs along the keys; spans
/// are merged in order. Changing it changes the last bits of results. 512 keys are 32 work items
/// for one head of a 16K context, and cost one merge of head_dim floats per 512 * head_dim
/// multiply-adds.
inline constexpr uint32_t kSpanKeys = 512;
inline constexpr uint32_t kSpanBlocks = kSpanKeys / kKvBlockTokens;

/// Queries (times heads of a group) that share one pass over a span: with head_dim 128 their q and
/// their results are 48 KiB, and keys and values may come from DRAM at under 1 byte per cycle.
inline constexpr uint32_t kMaxSpanRows = 48;

/// Scores are made, softened and applied to V in tiles of this many keys, which at head_dim 128
/// leaves the 16 KiB of a tile's V in L1. Divides kSpanKeys.
inline constexpr uint32_t kTileKeys = 64;

/// While a tile's V is read, the K of the next tile is prefetched.
inline constexpr uint32_t kLookaheadBlocks = kTileKeys / kKvBlockTokens;

/// The softmax of one query row over some keys, not yet divided by its sum. One array of floats,
/// [0] the greatest score, [16..31] the sum of e^(score - greatest) over keys whose position is
/// 0..15 modulo 16, and from [32] on the sum of e^(score - greatest) * V.
struct PartialLayout {
    static constexpr size_t kGreatest = 0, kSums = 16, kValues = 32;
    static constexpr size_t floats(size_t v_width) { return kValues + v_width; }
};

/// One query row of a span job: it sees the keys at positions first_key..end_key-1.
struct SpanRow {
    const float* q;
    float* partial;  // overwritten; of no keys: -infinity, zeros
    uint32_t first_key;
    uint32_t end_key;
};

/// Rows of one KV head over one span.
///   regions    the head's region of each block of the span and of the kLookaheadBlocks after it.
///   Read
///              where some row sees a key; prefetched, so any address will do, elsewhere
///   workspace  workspace_floats(head_dim) floats, 64-byte aligned
struct SpanJob {
    const std::byte* const* regions;
    uint32_t first_key;
    const SpanRow* rows;
    uint32_t row_count;  // at most kMaxSpanRows
    uint32_t head_dim;
    float scale;
    float* workspace;

    static constexpr size_t workspace_floats(size_t head_dim) {
        return kMaxSpanRows * (head_dim + kTileKeys);
    }
};

struct AttentionKernels {
    using AttendSpan = void (*)(const SpanJob& job);
    using WriteToken = void (*)(const float* k, const float* v, uint32_t head_dim, uint32_t slot,
                                std::byte* region);

    /// By KvType.
    AttendSpan attend_span[3];
    /// By KvType: one token's K and V of one head to `slot` (0..15) of a region.
    WriteToken write_token[3];
    /// into = the softmax over the keys of both; `into` stands for the earlier keys.
    void (*merge)(float* into, const float* partial, size_t v_width);
    /// out[head_dim] = the values of `total` divided by its sum.
    void (*finish)(const float* total, uint32_t head_dim, float* out);
};

}  // namespace brigada
