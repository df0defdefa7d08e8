// SchedulerConfig: the limits and policies of one scheduler, in tokens, sequences and time.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/time.h"

namespace brigada {

struct SchedulerConfig {
    uint32_t step_tokens = 512;   // budget of one step, all sequences together
    uint32_t max_running = 64;    // sequences in one step; at most step_tokens, so none is left out
    uint32_t max_context = 8192;  // prompt and output of one sequence

    /// While others decode or wait, one prompt gets at most so many tokens of a step, and all
    /// prompts longer than this together no more than one: 100K tokens never freeze the others. 0:
    /// half of step_tokens.
    uint32_t long_prefill_threshold = 0;

    uint32_t max_waiting = 1024;            // sequences (n counts n) that may queue
    uint64_t max_waiting_tokens = 4 << 20;  // their prompt tokens

    /// Blocks that admission leaves free while something runs, in thousandths of all: room for
    /// running sequences to grow before one must be preempted.
    uint32_t watermark_permille = 10;

    bool tenant_fairness = true;  // in one priority class, the tenant served least goes first

    /// Waiting this long is worth one priority class. Duration::max(): classes are strict.
    Duration ageing = Duration::seconds(10);

    /// A sequence waits for another that is computing its prefix, at most so many steps.
    uint32_t share_patience_steps = 1024;

    Duration watchdog = Duration::seconds(30);  // work but no progress for so long is a stall

    uint32_t chunk_cap() const {
        const uint32_t half = step_tokens > 1 ? step_tokens / 2 : 1;
        return long_prefill_threshold > 0 ? long_prefill_threshold : half;
    }
};

/// Error::invalid_argument names the setting, its value and what works.
Result<void> check_config(const SchedulerConfig& config);

}  // namespace brigada
