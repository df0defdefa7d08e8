// BlockKey: the 64-bit name of one block of a prompt and of everything before it. Router, engine,
// KV events and simulator compute the same keys; a key finds a candidate, only tokens prove a
// match.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace brigada {

enum class BlockKey : uint64_t {};
enum class SessionId : uint64_t {};  // one agent conversation; 0 means none

inline constexpr uint64_t kBlockKeySeed = 1337;
inline constexpr uint32_t kBlockTokens = 16;

/// Whose KV may be shared with whom. Sequences share blocks only when salt and LoRA are equal, byte
/// for byte. The session does not enter the keys: it says which older state a new turn supersedes.
struct KvScope {
    std::string salt;  // the tenant's cache salt; empty: shared by all who have none
    std::string lora;  // LoRA name; empty: the base model
    SessionId session{};
};

/// The virtual parent that a salt or a LoRA puts in front of block 0; none when both are empty.
///   XXH3_64(u32 LE length of lora || lora || salt, seed)
/// The length keeps ("ab", "c") and ("a", "bc") apart.
std::optional<BlockKey> scope_key(std::string_view salt, std::string_view lora);

/// local_i = XXH3_64(token ids as little-endian u32, seed): a block's tokens without their past.
uint64_t local_hash(std::span<const TokenId> tokens);

/// Without a parent the local hash itself, else XXH3_64(parent LE || local LE, seed).
BlockKey chain_key(std::optional<BlockKey> parent, uint64_t local);

/// The keys of all full blocks of `tokens`, first block first.
std::vector<BlockKey> block_keys(std::span<const TokenId> tokens, uint32_t block_tokens,
                                 std::optional<BlockKey> parent);

}  // namespace brigada
