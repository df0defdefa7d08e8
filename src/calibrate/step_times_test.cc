#include "calibrate/step_times.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace brigada {
namespace {

StepShape decodes(uint32_t count, uint64_t context) {
    StepShape shape;
    for (uint32_t i = 0; i < count; ++i)
        shape.add_decode(context);
    return shape;
}

StepShape chunk(uint64_t first, uint64_t count) {
    StepShape shape;
    shape.add_chunk(first, count);
    return shape;
}

/// The shapes that the probe of an engine sees.
std::vector<StepShape> many_shapes() {
    std::vector<StepShape> out;
    for (const uint64_t context : {64, 1024, 2048, 4096})
        for (const uint32_t batch : {1, 2, 4, 8})
            out.push_back(decodes(batch, context));
    for (uint64_t first = 0; first < 4096; first += 512)
        out.push_back(chunk(first, 512));
    for (const uint64_t count : {32, 100, 250, 400})
        out.push_back(chunk(0, count));
    for (const uint32_t batch : {1, 2, 4, 8}) {
        StepShape mixed = decodes(batch, 64);
        mixed.add_chunk(0, 256);
        out.push_back(mixed);
    }
    return out;
}

TEST(StepTimes, a_group_takes_its_median) {
    std::vector<TimedStep> steps;
    for (const int ms : {5, 4, 90, 6, 5})
        steps.push_back({decodes(2, 1000), Duration::milliseconds(ms)});
    steps.push_back({chunk(0, 100), Duration::milliseconds(7)});
    const auto groups = group_steps(steps);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].name, "2 decodes at 1000");
    EXPECT_DOUBLE_EQ(groups[0].seconds, 0.005);
    EXPECT_EQ(groups[0].steps, 5u);
    EXPECT_EQ(groups[1].name, "100 prompt tokens up to 100");
}

/// Times made by known coefficients, a few per cent of noise on them, and some steps that a
/// neighbour delayed: what comes out predicts what was not in the data.
TEST(StepTimes, the_fit_predicts_shapes_it_has_not_seen) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const auto some = [&](double least, double most) {
            return least * std::pow(most / least, static_cast<double>(rng.below(1000)) / 999);
        };
        StepCoefficients truth;
        truth.flop_per_token = some(0.3e-3, 5e-3);
        truth.flop_per_sequence = truth.flop_per_token * 0.3;
        truth.flop_per_pair = truth.flop_per_token * some(1e-5, 3e-4);
        truth.flop_per_decode_pair = truth.flop_per_pair;
        truth.weights_s = truth.flop_per_token * some(0.5, 5);
        truth.kv_per_token = truth.weights_s * some(1e-5, 1e-4);
        truth.step_s = some(0.05e-3, 1e-3);
        truth.sequence_s = some(0.01e-3, 0.2e-3);
        const StepCost cost(truth);

        std::vector<TimedStep> steps;
        for (const StepShape& shape : many_shapes()) {
            for (int i = 0; i < 9; ++i) {
                const double noise = 0.98 + 0.04 * static_cast<double>(rng.below(1000)) / 999;
                const double delayed = rng.below(8) == 0 ? 3 : 1;
                steps.push_back({shape, Duration::nanoseconds(std::llround(
                                            cost.time(shape).seconds() * noise * delayed * 1e9))});
            }
        }
        const StepCost found(fit_steps(group_steps(steps)));
        for (const auto& [batch, context] : {std::pair(3u, 700u), {6u, 3000u}, {5u, 100u}}) {
            const StepShape shape = decodes(batch, context);
            EXPECT_NEAR(found.time(shape).seconds() / cost.time(shape).seconds(), 1, 0.06);
        }
        const StepShape deep = chunk(3000, 300);
        EXPECT_NEAR(found.time(deep).seconds() / cost.time(deep).seconds(), 1, 0.06);
    }
}

}  // namespace
}  // namespace brigada
