// PromptMemory: what a session remembers of its last few prompts, so that a later call can be told
// where it departed from them: one byte of each block's key, 6 KB for a prompt of 100K tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kv/block_key.h"
#include "route/call.h"
#include "route/upstream.h"

namespace brigada {

/// Where a prompt was read: its KV is there, or was.
struct ReadAt {
    ModelId model{};
    UpstreamId upstream{};
    uint32_t starts = 0;  // how often that upstream had started

    friend bool operator==(const ReadAt&, const ReadAt&) = default;
};

struct RememberedPrompt {
    ReadAt read_at;
    std::vector<uint8_t> marks = {};

    /// The index of the first block in which `keys` differ, or where either ends. Keys are chained,
    /// so all that follow a difference differ, too: one byte points one block late in 1 of 256.
    uint32_t common_blocks(std::span<const BlockKey> keys) const;
};

class PromptMemory {
  public:
    /// Takes the place of the prompt that it continues (shares half of its blocks, same model),
    /// else of the oldest: side calls of a session do not make it forget its conversation.
    void remember(std::span<const BlockKey> keys, const ReadAt& read_at);

    /// The prompt of this model that shares most with `keys`; null when there is none.
    const RememberedPrompt* closest(std::span<const BlockKey> keys, ModelId model) const;

    bool empty() const { return prompts_.empty(); }
    size_t bytes() const;
    void check() const;

  private:
    std::vector<RememberedPrompt> prompts_;  // oldest first
};

}  // namespace brigada
