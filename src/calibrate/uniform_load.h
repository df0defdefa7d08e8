// UniformLoad: many requests of the same lengths at one replica, without a scheduler: those that
// were admitted together go on together, so thousands of requests cost a few hundred steps to
// reckon. For published figures, which give mean lengths and a concurrency and no more.
#pragma once

#include <cstdint>

#include "cost/step_cost.h"

namespace brigada {

struct UniformLoad {
    uint32_t prompt_tokens = 0;
    uint32_t output_tokens = 0;
    uint32_t requests = 0;
    uint32_t concurrency = 0;  // requests that a client keeps open; `requests`: all at once
    uint32_t step_tokens = 0;
    uint32_t max_running = 0;
    uint64_t kv_tokens = 0;  // 0: no limit
};

struct UniformResult {
    double ttft_s = 0;  // mean, from when the client sent it
    double tpot_s = 0;  // mean; 0 with a single output token
    double output_tok_s = 0;
};

/// A request is admitted when its prompt and half of its output find room, the mean of what it will
/// hold; nothing is preempted. Prompts are read first come, first served, beside the decodes.
UniformResult run_uniform(const UniformLoad& load, const StepCost& cost);

}  // namespace brigada
