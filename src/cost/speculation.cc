#include "cost/speculation.h"

#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr uint32_t kMostDrafts = 64;

uint64_t scaled(uint64_t number, double by) {
    return static_cast<uint64_t>(std::llround(static_cast<double>(number) * by));
}

}  // namespace

double Speculation::tokens_per_step() const {
    double sum = 1;
    double chance = 1;
    for (uint32_t i = 0; i < draft_tokens; ++i)
        sum += chance *= acceptance;
    return sum;
}

Result<void> check(const Speculation& speculation) {
    if (speculation.draft_tokens > kMostDrafts)
        return Error{Code::invalid_argument,
                     concat(speculation.draft_tokens, " drafts a step; at most ", kMostDrafts)};
    if (!(speculation.acceptance >= 0 && speculation.acceptance <= 1))
        return Error{Code::invalid_argument, concat("an acceptance of ", speculation.acceptance,
                                                    "; it is a chance, from 0 to 1")};
    if (!(speculation.draft_s >= 0))
        return Error{Code::invalid_argument,
                     concat("a draft takes ", speculation.draft_s, " s; it must be 0 or more")};
    return {};
}

SpeculativeCost::SpeculativeCost(const StepCost& cost, const Speculation& speculation,
                                 uint32_t budget)
    : cost_(cost),
      speculation_(speculation),
      tokens_per_step_(speculation.tokens_per_step()),
      budget_(budget) {}

// A prompt that is read alone and does not fill the step is read in one step, not in a part of it.
Duration SpeculativeCost::time(const StepShape& shape) const {
    const bool is_whole = shape.decodes == 0 && shape.tokens() < budget_;
    if (!speculation_.on() || is_whole) return cost_.time(shape);
    return share(cost_.time(verifying(shape)), shape.decodes > 0 ? 1 : 0);
}

Duration SpeculativeCost::run(const StepShape& shape, uint32_t steps) const {
    if (!speculation_.on()) return cost_.run(shape, steps);
    return share(cost_.run(verifying(shape), steps), steps);
}

StepShape SpeculativeCost::verifying(const StepShape& shape) const {
    StepShape whole = shape;
    whole.decode_width = 1 + speculation_.draft_tokens;
    whole.chunk_tokens = scaled(shape.chunk_tokens, tokens_per_step_);
    whole.chunk_context += whole.chunk_tokens - shape.chunk_tokens;
    whole.chunk_pairs = scaled(shape.chunk_pairs, tokens_per_step_);
    return whole;
}

Duration SpeculativeCost::share(Duration steps, double drafting_steps) const {
    const double drafting_ns =
        drafting_steps * speculation_.draft_tokens * speculation_.draft_s * 1e9;
    const double ns = (static_cast<double>(steps.ns()) + drafting_ns) / tokens_per_step_;
    return Duration::nanoseconds(std::llround(ns));
}

}  // namespace brigada
