// KvSize: how many bytes of KV a token and a sequence take on one rank. Source of the rules:
// engines' allocators (facts in docs/planning.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "cost/geometry.h"

namespace brigada {

enum class KvDtype { bf16, fp8, q8_0, q4_0 };

std::string_view to_string(KvDtype dtype);
Result<KvDtype> parse_kv_dtype(std::string_view word);

/// Bytes on one of `tp` ranks. KV heads per rank are ceil(kv_heads / tp); a latent is whole on
/// each.
struct KvSize {
    uint64_t per_token = 0;             // grows with the sequence
    uint64_t per_sequence = 0;          // windows and states: does not grow any more
    uint64_t per_token_full_pages = 0;  // where an engine keeps windows whole, like full attention
    uint32_t block_tokens = 16;         // as the engine pages it: hybrid models need larger blocks

    bool operator==(const KvSize&) const = default;

    /// Of one block: its tokens in every layer that grows (in windows too, where none does).
    uint64_t block_bytes() const {
        return (per_token > 0 ? per_token : per_token_full_pages) * block_tokens;
    }
    /// Of a sequence of `tokens`, which is longer than its windows, in whole blocks.
    uint64_t sequence_bytes(uint64_t tokens) const {
        return per_sequence + (tokens + block_tokens - 1) / block_tokens * block_tokens * per_token;
    }
};

KvSize kv_size(const ModelGeometry& model, KvDtype dtype, uint32_t tp);

}  // namespace brigada
