// StepRunner: carries a plan out and answers with logits. ModelRunner does it with a transformer;
// tests put a made-up model in its place.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/step_batch.h"
#include "engine/transformer.h"
#include "sched/plan.h"
#include "sched/scheduler.h"

namespace brigada {

/// One row of logits per chunk that samples, in the plan's order. The caller may overwrite them;
/// valid until the next step.
struct StepLogits {
    float* data = nullptr;
    size_t vocab = 0;

    std::span<float> row(size_t i) const { return {data + i * vocab, vocab}; }
};

class StepRunner {
  public:
    virtual ~StepRunner() = default;
    virtual StepLogits run(const Plan& plan, const Scheduler& sched) = 0;
};

class ModelRunner : public StepRunner {
  public:
    explicit ModelRunner(std::unique_ptr<Transformer> transformer)
        : transformer_(std::move(transformer)) {}

    StepLogits run(const Plan& plan, const Scheduler& sched) override;

  private:
    std::unique_ptr<Transformer> transformer_;
    StepBatch batch_;
    std::vector<float> logits_;
};

}  // namespace brigada
