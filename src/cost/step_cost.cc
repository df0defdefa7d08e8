#include "cost/step_cost.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace brigada {

namespace {

/// How many of `experts` are chosen at least once by `tokens` tokens that choose `each` at random.
double touched(double experts, double each, double tokens) {
    if (experts == 0) return 0;
    return experts * (1 - std::pow(1 - each / experts, tokens));
}

}  // namespace

double StepCost::weights_of(const StepShape& shape) const {
    const auto tokens = static_cast<double>(shape.tokens());
    return c_.weights_s + c_.expert_s * touched(c_.experts, c_.experts_per_token, tokens);
}

double StepCost::seconds(const StepShape& shape) const {
    const auto tokens = static_cast<double>(shape.tokens());
    const auto sequences = static_cast<double>(shape.sequences());
    const auto earlier = static_cast<double>(shape.chunk_context - shape.chunk_tokens);
    const auto context = static_cast<double>(shape.decode_context + shape.chunk_context);
    const auto sampled = static_cast<double>(shape.decode_tokens() + shape.chunks);
    const auto decode_pairs = static_cast<double>(shape.decode_context * shape.decode_width);
    const double attention = c_.flop_per_pair * static_cast<double>(shape.chunk_pairs) +
                             c_.flop_per_reread * earlier + c_.flop_per_decode_pair * decode_pairs;
    const double compute = c_.flop_per_token * tokens + c_.flop_per_sequence * sampled + attention;
    const double kv = c_.kv_per_token * context + c_.state_per_sequence * sequences;
    const double comm = c_.comm_s + c_.comm_per_token * tokens;
    return std::max(compute, weights_of(shape)) + kv + comm + c_.step_s + c_.sequence_s * sequences;
}

Duration StepCost::time(const StepShape& shape) const {
    return Duration::from_seconds(seconds(shape));
}

/// Time is piecewise linear in the context with one kink, where compute overtakes the weights, so
/// the sum is that of at most two arithmetic series; the kink is found by bisection.
Duration StepCost::run(const StepShape& shape, uint32_t steps) const {
    CHECK(shape.chunks == 0, shape.chunks);
    const auto at = [&](uint32_t step) {
        StepShape later = shape;
        later.decode_context += uint64_t{shape.decodes} * step;
        return seconds(later);
    };
    const auto series = [&](uint32_t first, uint32_t count) {
        return count == 0 ? 0.0 : (at(first) + at(first + count - 1)) / 2 * count;
    };
    const auto tokens = static_cast<double>(shape.decode_tokens());
    const double linear = (c_.flop_per_token + c_.flop_per_sequence) * tokens;
    const double weights = weights_of(shape);
    const auto compute_bound = [&](uint32_t step) {
        const uint64_t context = shape.decode_context + uint64_t{shape.decodes} * step;
        const auto pairs = static_cast<double>(context * shape.decode_width);
        return linear + c_.flop_per_decode_pair * pairs > weights;
    };
    uint32_t low = 0;
    uint32_t high = steps;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compute_bound(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return Duration::from_seconds(series(0, low) + series(low, steps - low));
}

}  // namespace brigada
