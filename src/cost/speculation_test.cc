#include "cost/speculation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "cost/test_costs.h"

namespace brigada {
namespace {

StepShape decodes(uint32_t count, uint64_t context) {
    StepShape shape;
    for (uint32_t i = 0; i < count; ++i)
        shape.add_decode(context);
    return shape;
}

TEST(Speculation, gives_as_many_tokens_as_drafts_that_are_tossed) {
    for (const double acceptance : {0.0, 0.3, 0.7, 1.0})
        for (const uint32_t drafts : {1u, 3u, 8u}) {
            Rng rng(drafts);
            constexpr int kSteps = 20'000;
            uint64_t tokens = 0;
            for (int step = 0; step < kSteps; ++step) {
                uint32_t right = 0;
                while (right < drafts && rng.chance(acceptance))
                    ++right;
                tokens += right + 1;
            }
            const Speculation speculation{drafts, acceptance, 0};
            EXPECT_NEAR(speculation.tokens_per_step(), static_cast<double>(tokens) / kSteps, 0.05);
        }
}

TEST(Speculation, costs_nothing_where_there_is_none) {
    const SpeculativeCost cost(some_cost(), {}, 2'048);
    StepShape shape = decodes(5, 3'000);
    EXPECT_EQ(cost.time(shape), some_cost().time(shape));
    EXPECT_EQ(cost.run(shape, 40), some_cost().run(shape, 40));
    shape.add_chunk(100, 700);
    EXPECT_EQ(cost.time(shape), some_cost().time(shape));
}

TEST(Speculation, reads_the_weights_once_for_all_tokens_of_a_step) {
    // One sequence at 10,000 tokens: weights 8 ms, KV 0.15 ms, the step 3 ms, the sequence 0.01 ms.
    const SpeculativeCost cost(some_cost(), {3, 1, 0}, 2'048);
    EXPECT_NEAR(cost.time(decodes(1, 10'000)).seconds(), 11.16e-3 / 4, 1e-9);
    const SpeculativeCost never(some_cost(), {3, 0, 0.0005}, 2'048);
    EXPECT_NEAR(never.time(decodes(1, 10'000)).seconds(), 11.16e-3 + 1.5e-3, 1e-9);
}

TEST(Speculation, computes_every_draft) {
    // 200 sequences of 1,000 tokens, 4 tokens each: 800 x 32 us and 800 x 1 us of attention are
    // more than the weights; then KV 3 ms, the step 3 ms, the sequences 2 ms.
    const SpeculativeCost cost(some_cost(), {3, 0.5, 0}, 2'048);
    EXPECT_NEAR(cost.time(decodes(200, 1'000)).seconds(), (26.4e-3 + 8e-3) / 1.875, 1e-9);
}

TEST(Speculation, reads_prompts_as_fast_as_without) {
    StepCoefficients c = some_cost().coefficients();
    c.weights_s = c.step_s = c.sequence_s = c.kv_per_token = 0;
    const StepCost cost(c);
    const Speculation speculation{1, 1, 0};
    StepShape shape;
    shape.add_chunk(0, 1'024);  // half of the engine's 2,048
    EXPECT_NEAR(SpeculativeCost(cost, speculation, 1'024).time(shape).seconds(),
                1'024 * 30e-6 + 1'024 * 1'025 / 2 * 1e-9 + 1e-6, 1e-9);
}

TEST(Speculation, that_cannot_be_is_refused) {
    using testing::HasSubstr;
    EXPECT_THAT(check(Speculation{65, 0.5, 0}).error().message, HasSubstr("at most 64"));
    EXPECT_THAT(check(Speculation{3, 1.5, 0}).error().message, HasSubstr("from 0 to 1"));
    EXPECT_THAT(check(Speculation{3, 0.5, -1}).error().message, HasSubstr("0 or more"));
}

}  // namespace
}  // namespace brigada
