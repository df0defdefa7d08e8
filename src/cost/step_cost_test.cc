#include "cost/step_cost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace brigada {
namespace {

/// Coefficients as of some accelerator and model, so that now compute and now the weights are more.
StepCoefficients random_coefficients(Rng& rng) {
    const auto some = [&](double most) {
        return most * static_cast<double>(rng.below(1000)) / 1000;
    };
    StepCoefficients c;
    c.flop_per_token = some(50e-6);
    c.flop_per_sequence = some(5e-6);
    c.flop_per_pair = some(20e-9);
    c.flop_per_reread = some(200e-9);
    c.flop_per_decode_pair = some(20e-9);
    c.weights_s = some(20e-3);
    if (rng.below(2) == 0) {
        c.experts = 1 + static_cast<double>(rng.below(256));
        c.experts_per_token = std::min(c.experts, 0.5 + static_cast<double>(rng.below(8)));
        c.expert_s = some(1e-4);
    }
    c.kv_per_token = some(1e-7);
    c.state_per_sequence = some(1e-5);
    c.comm_s = some(2e-3);
    c.comm_per_token = some(1e-6);
    c.step_s = some(5e-3);
    c.sequence_s = some(50e-6);
    return c;
}

TEST(StepCost, a_run_takes_as_long_as_its_steps) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const StepCost cost(random_coefficients(rng));
        StepShape shape;
        shape.decode_width = 1 + static_cast<uint32_t>(rng.below(5));
        for (uint64_t i = rng.below(100); i-- > 0;)
            shape.add_decode(1 + rng.below(3000));
        const auto steps = static_cast<uint32_t>(rng.below(3000));
        const Duration whole = cost.run(shape, steps);

        Duration sum;
        for (uint32_t step = 0; step < steps; ++step) {
            sum = sum + cost.time(shape);
            shape.decode_context += shape.decodes;
        }
        ASSERT_LE(std::abs((whole - sum).ns()), steps / 2 + 1);  // each time() is rounded by half
    }
}

TEST(StepCost, two_runs_in_a_row_are_one) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const StepCost cost(random_coefficients(rng));
        StepShape shape;
        for (uint64_t i = 1 + rng.below(60); i-- > 0;)
            shape.add_decode(1 + rng.below(100'000));
        const auto first = static_cast<uint32_t>(rng.below(500));
        const auto second = static_cast<uint32_t>(rng.below(500));
        const Duration whole = cost.run(shape, first + second);
        const Duration begun = cost.run(shape, first);
        shape.decode_context += uint64_t{shape.decodes} * first;
        ASSERT_LE(std::abs((whole - begun - cost.run(shape, second)).ns()), 2);
    }
}

TEST(StepCost, no_steps_take_no_time) {
    Rng rng(1);
    StepShape shape;
    shape.add_decode(100);
    EXPECT_EQ(StepCost(random_coefficients(rng)).run(shape, 0), Duration());
}

TEST(StepCost, more_work_never_takes_less) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const StepCost cost(random_coefficients(rng));
        StepShape shape;
        Duration before = cost.time(shape);
        for (int i = 0; i < 50; ++i) {
            if (rng.below(2) == 0)
                shape.add_decode(1 + rng.below(100'000));
            else
                shape.add_chunk(rng.below(100'000), 1 + rng.below(2048));
            const Duration now = cost.time(shape);
            ASSERT_GE(now, before);
            before = now;
        }
    }
}

// A chunk's tokens see the same positions whether they are read in one piece or in many.
TEST(StepCost, pairs_do_not_depend_on_the_chunks) {
    StepShape whole, pieces;
    whole.add_chunk(0, 5000);
    for (uint64_t first = 0; first < 5000; first += 1250)
        pieces.add_chunk(first, 1250);
    EXPECT_EQ(whole.chunk_pairs, pieces.chunk_pairs);
    EXPECT_EQ(whole.chunk_pairs, 5000u * 5001 / 2);
    EXPECT_LT(whole.chunk_context, pieces.chunk_context);  // but KV is read again by each
}

// Worked by hand: of 4 experts, 2 each, three tokens touch 4 (1 - (1/2)^3) = 3.5.
TEST(StepCost, tokens_touch_experts_at_random) {
    StepCoefficients c;
    c.experts = 4;
    c.experts_per_token = 2;
    c.expert_s = 1e-3;
    StepShape shape;
    for (int i = 0; i < 3; ++i)
        shape.add_decode(10);
    EXPECT_EQ(StepCost(c).time(shape), Duration::microseconds(3500));
}

}  // namespace
}  // namespace brigada
