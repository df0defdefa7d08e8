// KvLayout: how the keys and values of one layer lie in memory. Blocks of 16 tokens; in a block,
// one region per KV head; in a region, K transposed and then V, so that a kernel reads either with
// one vector lane per token (scores) or per dimension (output) and never sums across lanes.
//
//   region of one head:   K [head_dim][16 tokens]   V [16 tokens][v_width]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {

/// Tokens per block: one AVX-512 register of floats.
inline constexpr uint32_t kKvBlockTokens = 16;

enum class KvType { f32, f16, bf16 };

std::string_view to_string(KvType type);

struct KvLayout {
    KvType type = KvType::f16;
    uint32_t kv_heads = 0;
    uint32_t head_dim = 0;  // a multiple of 8

    constexpr size_t element_bytes() const { return type == KvType::f32 ? 4 : 2; }

    /// A row of V, padded so that it ends with a whole vector of 16; the padding is never read into
    /// a result. Differs from head_dim only where that is an odd multiple of 8.
    constexpr size_t v_width() const { return (size_t{head_dim} + 15) / 16 * 16; }

    /// Bytes from the start of a head's region to its V.
    constexpr size_t v_offset() const {
        return size_t{head_dim} * kKvBlockTokens * element_bytes();
    }

    /// One head of one block. A multiple of 64, so regions start at cache lines when the arena
    /// does.
    constexpr size_t head_bytes() const {
        return (size_t{head_dim} + v_width()) * kKvBlockTokens * element_bytes();
    }

    /// One block of one layer.
    constexpr size_t block_bytes() const { return kv_heads * head_bytes(); }
};

/// The KV memory of one layer, borrowed: `blocks` blocks of layout.block_bytes(), 64-byte aligned.
struct KvArena {
    KvLayout layout;
    std::byte* bytes = nullptr;
    uint32_t blocks = 0;

    std::byte* block(BlockId id) const {
        DCHECK(raw(id) < blocks, "block ", raw(id), " of ", blocks);
        return bytes + raw(id) * layout.block_bytes();
    }
    std::byte* region(BlockId id, uint32_t kv_head) const {
        return block(id) + kv_head * layout.head_bytes();
    }
};

}  // namespace brigada
