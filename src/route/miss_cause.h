// MissCause: why a call found less of its prompt cached than its session should have: the prompt
// changed, or the KV was not where the call went.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "route/prompt_memory.h"

namespace brigada {

enum class MissCause {
    none,            // it found what was there to be found
    first_call,      // the session has no earlier call
    other_model,     // no earlier call of this model, only of others
    other_upstream,  // the prompt's KV is at another upstream
    restarted,       // the upstream started anew since
    evicted,         // the same upstream had it and lost it
    prompt_changed,  // the prompt departs from the one before
};

std::string_view to_string(MissCause cause);

struct Miss {
    MissCause cause = MissCause::none;
    uint32_t lost_blocks = 0;  // that would have been cached but for this cause
    std::optional<uint32_t> first_difference = {};  // block where the prompt departs, if it does
};

/// Why a call with this prompt, read where `read_at` says, found only `cached_blocks` of them. When
/// the prompt changed and KV was lost as well, the cause that lost more is named.
Miss explain_miss(const PromptMemory& memory, const PromptMarks& marks, const ReadAt& read_at,
                  uint32_t cached_blocks);

}  // namespace brigada
