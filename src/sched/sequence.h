// SequenceSpec: one sequence as it is submitted; Sequence: what the scheduler knows of it from then
// to its end. There are no phases: a sequence has known tokens, has computed some, and catches up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "kv/block_key.h"
#include "kv/prefix_tree.h"
#include "kv/retention.h"

namespace brigada {

enum class TenantId : uint32_t {};

struct SequenceSpec {
    SequenceId id{};
    std::vector<SequenceId> forks;  // n > 1: the n - 1 siblings, born when the prompt is computed
    Tokens prompt;
    uint32_t prompt_tokens = 0;  // that its ids stand for; 0: all that they can (KvConfig)
    KvCursor cursor =
        {};  // of a sequence that ended here and that the prompt is known to begin with
    uint32_t max_new_tokens = 0;  // at least 1; per sibling
    int32_t priority = 0;         // lower goes first
    TenantId tenant{};
    KvScope scope;
    Retention retention;
    Instant arrival;
    Duration waited = {};  // before it was submitted, for its KV: it ages as if it had been here
    Instant deadline = Instant::never();  // expires if it has not begun by then
};

enum class SequenceState { waiting, running };

struct Sequence {
    SequenceSpec spec;  // without the prompt, which `tokens` begins with
    SequenceState state = SequenceState::waiting;
    Tokens tokens;               // known: ids of prompt and generated
    uint32_t known_tokens = 0;   // that they stand for
    uint32_t prompt_tokens = 0;  // of those, the prompt
    uint32_t max_tokens = 0;     // ends with this many known tokens
    uint32_t computed = 0;       // positions whose KV is written
    uint32_t cached_tokens = 0;  // of the prompt, found when first admitted
    uint32_t reread_tokens = 0;  // of the prompt, computed again after eviction
    uint32_t preemptions = 0;
    bool begun = false;         // was admitted at least once
    bool has_siblings = false;  // n > 1
    Instant queued_at;          // when it last began to wait
    Duration waited;            // before that
    int64_t level = 0;          // priority less ageing, as it was when admitted
    uint32_t planned = 0;       // tokens in the plan that is out

    KvCursor cursor;             // where the last look for a cached prefix ended
    SequenceId leader{};         // it computes a prefix of this prompt: wait until it has computed
    uint32_t leader_tokens = 0;  // so many tokens; 0: no leader
    uint32_t shared_steps = 0;   // steps spent waiting so

    uint32_t known() const { return known_tokens; }
    uint32_t remaining() const { return known() - computed - planned; }  // not even planned

    /// It only has its newest token to compute.
    bool decodes() const { return known() - computed == 1 && known() > prompt_tokens; }
    bool runs() const { return state == SequenceState::running; }
    uint32_t siblings() const { return 1 + static_cast<uint32_t>(spec.forks.size()); }
};

}  // namespace brigada
