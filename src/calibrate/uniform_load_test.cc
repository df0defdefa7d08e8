#include "calibrate/uniform_load.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "calibrate/replay.h"
#include "cost/test_costs.h"

namespace brigada {
namespace {

/// All at once through the production scheduler, one by one.
RequestLog one_by_one(const UniformLoad& load, const StepCost& cost) {
    const RequestLog asked(load.requests, {load.prompt_tokens, load.output_tokens, {}, {}, {}});
    ReplaySetup setup{scheduler_like_vllm(load.step_tokens, load.max_running, 1 << 20), 1 << 20};
    return replay(asked, setup, cost).value();
}

TEST(UniformLoad, a_burst_takes_what_it_takes_through_the_scheduler) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        UniformLoad load;
        load.prompt_tokens = 1 + static_cast<uint32_t>(rng.below(1500));
        load.output_tokens = 1 + static_cast<uint32_t>(rng.below(100));
        load.requests = load.concurrency = 1 + static_cast<uint32_t>(rng.below(120));
        load.step_tokens = 512 << rng.below(4);
        load.max_running = 1 + static_cast<uint32_t>(rng.below(200));
        const UniformResult quick = run_uniform(load, some_cost());

        double ttft = 0, end = 0;
        for (const LoggedRequest& request : one_by_one(load, some_cost())) {
            ttft += request.ttft().seconds() / load.requests;
            end = std::max(end, request.latency().seconds());
        }
        EXPECT_NEAR(quick.ttft_s / ttft, 1, 0.02);
        EXPECT_NEAR(quick.output_tok_s * end / load.output_tokens / load.requests, 1, 0.02);
    }
}

TEST(UniformLoad, a_client_that_waits_for_its_answers_sees_no_queue) {
    UniformLoad load{.prompt_tokens = 100,
                     .output_tokens = 50,
                     .requests = 80,
                     .concurrency = 1,
                     .step_tokens = 2048,
                     .max_running = 64};
    const UniformResult alone = run_uniform(load, some_cost());
    StepShape prompt, token;
    prompt.add_chunk(0, 100);
    token.add_decode(125);
    EXPECT_NEAR(alone.ttft_s, some_cost().time(prompt).seconds(), 1e-9);
    EXPECT_NEAR(alone.tpot_s / some_cost().time(token).seconds(), 1, 0.001);

    load.concurrency = 16;
    EXPECT_GT(run_uniform(load, some_cost()).output_tok_s, 8 * alone.output_tok_s);
}

TEST(UniformLoad, little_memory_lets_few_run) {
    UniformLoad load{.prompt_tokens = 1000,
                     .output_tokens = 100,
                     .requests = 64,
                     .concurrency = 64,
                     .step_tokens = 2048,
                     .max_running = 64};
    const double roomy = run_uniform(load, some_cost()).ttft_s;
    load.kv_tokens = 4 * 1050;  // four at a time
    const UniformResult tight = run_uniform(load, some_cost());
    EXPECT_GT(tight.ttft_s, 2 * roomy);
    load.kv_tokens = 0;
    load.max_running = 4;
    EXPECT_DOUBLE_EQ(run_uniform(load, some_cost()).ttft_s, tight.ttft_s);
}

}  // namespace
}  // namespace brigada
