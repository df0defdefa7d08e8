// plan_shape(): what a scheduler's plan asks for, as the cost model sees it.
#pragma once

#include "cost/step_shape.h"
#include "sched/scheduler.h"

namespace brigada {

/// Between the scheduler's plan and commit.
inline StepShape plan_shape(const Plan& plan, const Scheduler& scheduler) {
    StepShape shape;
    for (const Chunk& chunk : plan.chunks) {
        if (scheduler.sequence(chunk.sequence).decodes())
            shape.add_decode(chunk.first + 1);
        else
            shape.add_chunk(chunk.first, chunk.count);
    }
    return shape;
}

}  // namespace brigada
