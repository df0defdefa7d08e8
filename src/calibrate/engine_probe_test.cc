#include "calibrate/engine_probe.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

/// One round with a tiny real model: every size that is asked for is seen, and explained.
TEST(EngineProbe, sees_prompts_and_answers_alone_and_together) {
    const Model model =
        open_model(Path(BRIGADA_TESTDATA) / "models/stories260K/gguf/stories260K-q8_0.gguf")
            .value();
    EngineOptions engine;
    engine.threads = 1;
    engine.kv_memory = 32 << 20;
    const ProbeOptions options{
        .time = Duration(), .longest_context = 400, .batches = {1, 3}, .seed = 5};
    std::vector<std::string> told;
    const auto probed = probe_engine(model, engine, options,
                                     [&](std::string what) { told.push_back(std::move(what)); });
    ASSERT_TRUE(probed.ok()) << probed.error().message;
    EXPECT_EQ(probed->rounds, 1u);
    EXPECT_FALSE(told.empty());

    bool chunk = false, alone = false, together = false, mixed = false;
    for (const TimedStep& step : probed->steps) {
        EXPECT_GT(step.took, Duration());
        EXPECT_LE(step.shape.tokens(), engine.sched.step_tokens);
        chunk |= step.shape.chunks > 0 && step.shape.decodes == 0;
        alone |= step.shape.decodes == 1 && step.shape.chunks == 0;
        together |= step.shape.decodes == 3;
        mixed |= step.shape.decodes > 0 && step.shape.chunks > 0;
    }
    EXPECT_TRUE(chunk && alone && together && mixed);

    const auto groups = group_steps(probed->steps);
    EXPECT_EQ(step_errors(groups, StepCost(fit_steps(groups))).size(), groups.size());
}

TEST(EngineProbe, a_context_that_is_not_there_is_refused) {
    const Model model =
        open_model(Path(BRIGADA_TESTDATA) / "models/stories260K/gguf/stories260K-q8_0.gguf")
            .value();
    EngineOptions engine;
    engine.max_context = 1 << 20;
    EXPECT_FALSE(probe_engine(model, engine, {}, [](const std::string&) {}).ok());
}

}  // namespace
}  // namespace brigada
