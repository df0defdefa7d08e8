// PromptKeys: a prompt as the router sees it, before anybody has tokenised it: the bytes of tools,
// system and messages in the order that templates render them, cut into pieces of about four KV
// blocks, each named by a key that covers all before it. Turn n + 1 of a session then extends turn
// n, whatever else moves in the body.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dialect/dialect.h"
#include "gateway/call_body.h"
#include "kv/block_key.h"

namespace brigada {

/// The bytes of a token of English text or code.
inline constexpr int64_t kBytesPerToken = 4;

/// About. The router's block here: pieces of 16 tokens cost twice as much to hash, and four times
/// as much to remember.
inline constexpr uint32_t kPieceTokens = 64;

struct PromptKeys {
    std::vector<BlockKey> keys = {};
    int64_t bytes = 0;
};

/// Marks that move from turn to turn without being part of the prompt (cache_control) are left out.
/// `salt` keeps tenants apart.
PromptKeys prompt_keys(const CallBody& body, Dialect dialect, std::string_view salt);

}  // namespace brigada
