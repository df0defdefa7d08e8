// SessionPrompts: the prompts of one session's calls, one after the other, as router and scheduler
// want them: keys and ids of blocks, and the ids of the blocks that the answer will begin. When the
// next prompt keeps the answer, those are the names that it has there, so that its KV is found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "kv/block_key.h"
#include "trace/trace.h"

namespace brigada {

class SessionPrompts {
  public:
    /// Goes on to the call with this index: 0, then one further each time. `next_name` counts names
    /// that no block of the trace has. Without `answers_return` the next prompt has another text in
    /// the answer's place.
    void go_to(const TraceSession& session, size_t index, uint32_t block_tokens,
               uint32_t& next_name, bool answers_return = true);

    /// One for each block, the last of which may not be full.
    Tokens ids() const;

    /// Of the full blocks.
    std::span<const BlockKey> keys() const { return keys_; }

    /// Of the blocks that begin in the answer.
    const Tokens& answer() const { return answer_; }

    /// How many blocks the prompt has in common with the call before and its answer, at most.
    uint32_t shared_blocks() const { return shared_blocks_; }

    void forget() { *this = {}; }

  private:
    void name_answer(const TraceCall& call, const TraceCall* next, uint32_t block_tokens,
                     uint32_t& next_name, bool answers_return);

    Tokens names_;                 // all that the trace lists; as long as keys_ they are the ids
    std::optional<TokenId> tail_;  // the id of the last block, when it is not full
    Tokens answer_;
    std::vector<BlockKey> keys_;
    uint32_t shared_blocks_ = 0;
    bool keeps_answer_ = false;  // the next prompt has it
};

}  // namespace brigada
