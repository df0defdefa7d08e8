// Speculation: drafts that a step verifies, and what a token then costs. A step computes each
// decoding sequence's newest token and its drafts at once; those that are right, up to the first
// that is not, come with the token after them.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cost/step_cost.h"

namespace brigada {

struct Speculation {
    uint32_t draft_tokens = 0;  // of each sequence and step; 0: there is none
    double acceptance = 0;      // chance that a draft is right when those before it were
    double draft_s = 0;         // seconds that one more draft of all sequences takes

    bool on() const { return draft_tokens > 0; }

    /// Of each sequence, on average: 1 + a + a^2 + ... + a^draft_tokens.
    double tokens_per_step() const;
};

/// Error::invalid_argument names the number, its value and what works.
Result<void> check(const Speculation& speculation);

/// The time of steps for someone who plans one token of each decoding sequence at a time: such a
/// step is the part of a verifying one that falls to one token. The slices of prompts that are read
/// in it are such parts as well, so `budget`, the tokens of a full step, is the engine's divided by
/// tokens_per_step(). Right on average over steps; a first token may be early by part of a step.
class SpeculativeCost {
  public:
    SpeculativeCost(const StepCost& cost, const Speculation& speculation, uint32_t budget);

    Duration time(const StepShape& shape) const;

    /// As StepCost::run.
    Duration run(const StepShape& shape, uint32_t steps) const;

  private:
    StepShape verifying(const StepShape& shape) const;
    Duration share(Duration steps, double drafting_steps) const;

    StepCost cost_;
    Speculation speculation_;
    double tokens_per_step_;
    uint32_t budget_;
};

}  // namespace brigada
