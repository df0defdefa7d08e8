#include "calibrate/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/measured_runs.h"
#include "cost/known_fits.h"

namespace brigada {
namespace {

class MeasuredRuns : public testing::TestWithParam<MeasuredRun> {};

std::string shown(const RunError& error) {
    return concat("TTFT ", error.measured.ttft_s, " s, predicted ", error.predicted.ttft_s,
                  "; TPOT ", error.measured.tpot_s * 1e3, " ms, predicted ",
                  error.predicted.tpot_s * 1e3, "; latency ", error.measured.latency_s,
                  " s, predicted ", error.predicted.latency_s);
}

/// Fitted to every other request and judged on those between.
TEST_P(MeasuredRuns, one_half_predicts_the_other) {
    const LoggedRun run = load_run(GetParam());
    const EngineFit start = default_fit(run.placement.accelerator, "vLLM");
    const EngineFit fit = fit_to(std::span(&run, 1), Part::even, start).value();
    const RunError error = judge(run, fit, Part::odd).value();
    EXPECT_LT(std::abs(error.tpot()), 0.05) << shown(error);
    EXPECT_LT(std::abs(error.latency()), 0.05) << shown(error);
    EXPECT_LT(std::abs(error.ttft()), 0.10) << shown(error);
}

/// Nothing of the run is known but what was served, on what.
TEST_P(MeasuredRuns, the_datasheet_alone_comes_near) {
    const LoggedRun run = load_run(GetParam());
    const RunError error =
        judge(run, default_fit(run.placement.accelerator, "vLLM"), Part::all).value();
    EXPECT_LT(std::abs(error.tpot()), 0.30) << shown(error);
}

INSTANTIATE_TEST_SUITE_P(Vllm, MeasuredRuns, testing::ValuesIn(kMeasuredRuns),
                         [](const auto& named) {
                             std::string name = named.param.file;
                             for (char& c : name)
                                 if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                             return name;
                         });

/// A log that the model itself made is explained by the fit it was made with.
TEST(Fit, finds_what_made_the_log) {
    LoggedRun run = load_run(kMeasuredRuns[1]);
    run.log.resize(60);
    EngineFit truth;
    truth.mfu = 0.35;
    truth.mbu = 0.6;
    const auto made = replay(run.log, run.setup, StepCost(step_coefficients(run.placement, truth)));
    ASSERT_TRUE(made.ok());
    run.log = *made;
    const EngineFit found = fit_to(std::span(&run, 1), Part::all, EngineFit{}).value();
    const RunError error = judge(run, found, Part::all).value();
    EXPECT_LT(std::abs(error.tpot()), 0.01) << shown(error);
    EXPECT_LT(std::abs(error.ttft()), 0.02) << shown(error);
    EXPECT_NEAR(found.mfu / truth.mfu, 1, 0.15);
    EXPECT_NEAR(found.mbu / truth.mbu, 1, 0.15);
}

TEST(Fit, a_request_that_cannot_be_served_is_named) {
    LoggedRun run = load_run(kMeasuredRuns[0]);
    run.setup.kv_blocks = 10;
    const auto fit = fit_to(std::span(&run, 1), Part::all, {});
    ASSERT_FALSE(fit.ok());
    EXPECT_EQ(fit.error().code, Code::too_large);
}

}  // namespace
}  // namespace brigada
