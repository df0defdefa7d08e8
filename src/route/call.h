// Call: what routing knows of one call to a model. The shell has parsed, counted and hashed it; the
// keys are borrowed for as long as the routing functions run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "kv/block_key.h"

namespace brigada {

enum class CallId : uint64_t {};   // one attempt at one upstream, from the shell's counter
enum class ModelId : uint32_t {};  // a model's name, as an index

struct Call {
    CallId id{};
    SessionId session{};          // 0: the call belongs to no conversation
    SessionId group{};            // a sub-agent's parent session; 0: none
    std::string_view agent = {};  // what the sub-agent is called, for people
    ModelId model{};
    std::span<const BlockKey> keys = {};  // of the prompt's full blocks
    uint32_t block_tokens = kBlockTokens;
    int64_t prompt_tokens = 0;
    int64_t output_tokens = 256;  // expected; the median agent call writes 216
};

inline int64_t tokens_in(const Call& call, uint32_t blocks) {
    return std::min(call.prompt_tokens, int64_t{blocks} * call.block_tokens);
}

}  // namespace brigada
