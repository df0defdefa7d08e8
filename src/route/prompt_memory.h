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

/// One byte of each block's key; of a million tokens at most. What a running call keeps of its
/// prompt, too.
using PromptMarks = std::vector<uint8_t>;
PromptMarks marks_of(std::span<const BlockKey> keys);

struct RememberedPrompt {
    ReadAt read_at;
    PromptMarks marks = {};

    /// The index of the first block in which the prompts differ, or where either ends. Keys are
    /// chained, so all that follow a difference differ, too: one byte points one block late in 1 of
    /// 256.
    uint32_t common_blocks(const PromptMarks& other) const;
};

class PromptMemory {
  public:
    /// Takes the place of the prompt that it continues (shares half of its blocks, same model),
    /// else of the oldest: side calls of a session do not make it forget its conversation.
    void remember(PromptMarks marks, const ReadAt& read_at);

    /// The prompt of this model that shares most with `marks`; null when there is none.
    const RememberedPrompt* closest(const PromptMarks& marks, ModelId model) const;

    bool empty() const { return prompts_.empty(); }
    size_t bytes() const;
    void check() const;

  private:
    std::vector<RememberedPrompt> prompts_;  // oldest first
};

}  // namespace brigada
