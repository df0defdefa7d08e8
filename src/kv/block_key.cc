#include "kv/block_key.h"

#define XXH_INLINE_ALL  // blocks are short: half the time would be the call
#include <xxhash.h>

#include <bit>
#include <cstring>

#include "base/check.h"

namespace brigada {
namespace {

static_assert(std::endian::native == std::endian::little, "keys are hashes of little-endian words");

BlockKey hash_pair(uint64_t parent, uint64_t local) {
    const uint64_t words[2] = {parent, local};
    return BlockKey{XXH3_64bits_withSeed(words, sizeof words, kBlockKeySeed)};
}

}  // namespace

std::optional<BlockKey> scope_key(std::string_view salt, std::string_view lora) {
    if (salt.empty() && lora.empty()) return std::nullopt;
    CHECK(lora.size() <= UINT32_MAX);
    const auto length = static_cast<uint32_t>(lora.size());
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    bytes.append(lora).append(salt);
    return BlockKey{XXH3_64bits_withSeed(bytes.data(), bytes.size(), kBlockKeySeed)};
}

uint64_t local_hash(std::span<const TokenId> tokens) {
    return XXH3_64bits_withSeed(tokens.data(), tokens.size_bytes(), kBlockKeySeed);
}

BlockKey chain_key(std::optional<BlockKey> parent, uint64_t local) {
    return parent ? hash_pair(raw(*parent), local) : BlockKey{local};
}

std::vector<BlockKey> block_keys(std::span<const TokenId> tokens, uint32_t block_tokens,
                                 std::optional<BlockKey> parent) {
    std::vector<BlockKey> keys;
    keys.reserve(tokens.size() / block_tokens);
    for (; tokens.size() >= block_tokens; tokens = tokens.subspan(block_tokens)) {
        parent = chain_key(parent, local_hash(tokens.first(block_tokens)));
        keys.push_back(*parent);
    }
    return keys;
}

}  // namespace brigada
