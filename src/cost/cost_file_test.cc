#include "cost/cost_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace brigada {
namespace {

using ::testing::HasSubstr;

std::string file_of(const StepCoefficients& coefficients) {
    return Json{{"model", "m"}, {"coefficients", to_json(coefficients)}}.dump();
}

std::string error_of(std::string_view text) {
    const Result<StepCoefficients> read = read_cost_file(text, "cost.json");
    return read.ok() ? "" : read.error().message;
}

TEST(CostFile, what_was_written_is_read) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        StepCoefficients c;
        c.flop_per_token = rng.uniform();
        c.flop_per_sequence = rng.uniform();
        c.flop_per_pair = rng.uniform() * 1e-9;
        c.flop_per_reread = rng.uniform();
        c.flop_per_decode_pair = rng.uniform();
        c.weights_s = rng.uniform();
        c.expert_s = rng.uniform();
        c.experts = 128;
        c.experts_per_token = 8;
        c.kv_per_token = rng.uniform() * 1e-12;
        c.state_per_sequence = rng.uniform();
        c.comm_s = rng.uniform();
        c.comm_per_token = rng.uniform();
        c.step_s = rng.uniform();
        c.sequence_s = rng.uniform();
        EXPECT_EQ(*read_cost_file(file_of(c), "cost.json"), c);
    }
}

TEST(CostFile, what_is_not_said_is_nothing) {
    const StepCoefficients read =
        *read_cost_file(R"({"coefficients": {"step_s": 0.004}, "note": "by hand"})", "cost.json");
    EXPECT_EQ(read, StepCoefficients{.step_s = 0.004});
}

TEST(CostFile, mistakes_are_named) {
    EXPECT_THAT(error_of("{"), HasSubstr("cost.json"));
    EXPECT_THAT(error_of("[]"), HasSubstr("has no object \"coefficients\""));
    EXPECT_THAT(error_of(R"({"coefficients": 3})"), HasSubstr("brigada calibrate writes one"));
    EXPECT_THAT(error_of(R"({"coefficients": {"steps": 1}})"),
                HasSubstr("coefficients.steps is not known; there are flop_per_token"));
    EXPECT_THAT(error_of(R"({"coefficients": {"step_s": -1}})"),
                HasSubstr("coefficients.step_s is -1"));
    EXPECT_THAT(error_of(R"({"coefficients": {"step_s": "1"}})"), HasSubstr("from 0 on works"));
    EXPECT_THAT(error_of(R"({"coefficients": {}})"), HasSubstr("steps take time"));
    EXPECT_THAT(error_of(R"({"coefficients": {"step_s": 1, "experts_per_token": 2}})"),
                HasSubstr("of 0 experts"));
}

}  // namespace
}  // namespace brigada
