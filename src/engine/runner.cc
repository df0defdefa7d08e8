#include "engine/runner.h"

namespace brigada {

StepLogits ModelRunner::run(const Plan& plan, const Scheduler& sched) {
    for (const BlockCopy& copy : plan.copies)
        transformer_->copy_block(copy.from, copy.to);
    batch_.clear();
    for (const Chunk& chunk : plan.chunks)
        batch_.add({.tokens = sched.tokens(chunk.sequence).subspan(chunk.first, chunk.count),
                    .first_position = chunk.first,
                    .blocks = sched.table(chunk.sequence),
                    .wants_logits = chunk.samples});
    logits_.resize(batch_.logit_rows() * transformer_->vocab());
    transformer_->forward(batch_, logits_.data());
    return {logits_.data(), transformer_->vocab()};
}

}  // namespace brigada
