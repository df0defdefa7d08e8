// A StepCost for tests: something like an 8B model on a large card, where all kinds of work count.
#pragma once

#include "cost/step_cost.h"

namespace brigada {

inline StepCost some_cost() {
    StepCoefficients c;
    c.flop_per_token = 30e-6;
    c.flop_per_sequence = 2e-6;
    c.flop_per_pair = c.flop_per_decode_pair = 1e-9;
    c.weights_s = 8e-3;
    c.kv_per_token = 1.5e-8;
    c.step_s = 3e-3;
    c.sequence_s = 1e-5;
    return StepCost(c);
}

}  // namespace brigada
