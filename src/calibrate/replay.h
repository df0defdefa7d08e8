// replay(): the requests of a log again, through the simulator's replica (the production scheduler
// and KV books in virtual time), each step as long as the cost model says.
#pragma once

#include "calibrate/request_log.h"
#include "cost/step_cost.h"
#include "sched/config.h"

namespace brigada {

struct ReplaySetup {
    SchedulerConfig scheduler;
    uint32_t kv_blocks = 0;
    uint32_t block_tokens = 16;
};

/// A scheduler that batches as vLLM does: prompts fill the step, first come first served.
SchedulerConfig scheduler_like_vllm(uint32_t step_tokens, uint32_t max_num_seqs,
                                    uint32_t max_context);

/// The same requests in the same order, with the times that came out. Prompts share nothing.
/// Error: a request that the scheduler refuses, and why.
Result<RequestLog> replay(const RequestLog& log, const ReplaySetup& setup, const StepCost& cost);

}  // namespace brigada
