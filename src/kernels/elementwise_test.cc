#include "kernels/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "kernels/row_variants.h"

namespace brigada {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kU = 0x1p-24;
constexpr size_t kWidths[] = {1, 7, 15, 16, 17, 31, 64, 100, 576, 1031};

std::vector<float> random_floats(Rng& rng, size_t n, double spread) {
    std::vector<float> out(n);
    for (float& x : out)
        x = static_cast<float>((rng.uniform() * 2 - 1) * spread);
    return out;
}

/// Runs the body for every variant and width, with a fresh Rng.
template <typename F>
void for_each_variant(F body) {
    for (const RowVariant& variant : row_variants())
        for (size_t width : kWidths) {
            SCOPED_TRACE(concat(variant.name, " width ", width));
            Rng rng(width);
            body(*variant.elementwise, width, rng);
        }
}

TEST(Exp, is_within_two_to_the_minus_22) {
    // sum_exp of one number with offset 0 and scale 1 is the exponential itself. Steps of 2^-10
    // plus noise walk over all its domain.
    for (const RowVariant& variant : row_variants()) {
        Rng rng(1);
        for (double at = -87.2; at < 87.99; at += 0x1p-8) {
            const auto x = static_cast<float>(at + rng.uniform() * 0x1p-8);
            float y = 0;
            variant.elementwise->sum_exp(&x, 1, 0, 1, &y);
            const double expected = std::exp(static_cast<double>(x));
            ASSERT_NEAR(y / expected, 1, 0x1p-22) << variant.name << " at " << x;
        }
    }
}

TEST(Exp, is_exact_where_that_matters) {
    for (const RowVariant& variant : row_variants()) {
        const float x[] = {0, -kInfinity, -88, -1000, -std::numeric_limits<float>::max(), kNan};
        float y[6];
        variant.elementwise->sum_exp(x, 6, 0, 1, y);
        EXPECT_EQ(y[0], 1) << variant.name;
        for (int i = 1; i < 5; ++i)
            EXPECT_EQ(y[i], 0) << variant.name << " of " << x[i];
        EXPECT_TRUE(std::isnan(y[5])) << variant.name;
    }
}

TEST(RmsNorm, agrees_with_double_precision) {
    Pool pool(2);
    for_each_variant([&](const ElementwiseKernels& kernels, size_t width, Rng& rng) {
        const size_t rows = 3, stride = width + 5;
        const std::vector<float> x = random_floats(rng, rows * stride, 3);
        const std::vector<float> weight = random_floats(rng, width, 2);
        std::vector<float> out(rows * stride, kNan);
        rms_norm(kernels, {x.data(), rows, width, stride}, weight.data(), 1e-5f,
                 {out.data(), rows, width, stride}, pool);
        for (size_t row = 0; row < rows; ++row) {
            double squares = 0;
            for (size_t i = 0; i < width; ++i)
                squares += std::pow(x[row * stride + i], 2);
            const double norm = std::sqrt(squares / static_cast<double>(width) + 1e-5f);
            for (size_t i = 0; i < width; ++i) {
                const double expected = x[row * stride + i] / norm * weight[i];
                const double bound = (static_cast<double>(width) / 32 + 10) * kU;
                ASSERT_NEAR(out[row * stride + i], expected, bound * std::abs(expected));
            }
            for (size_t i = width; i < stride; ++i)
                ASSERT_TRUE(std::isnan(out[row * stride + i])) << "wrote past the row";
        }
    });
}

TEST(SiluMul, agrees_with_double_precision) {
    Pool pool(2);
    for_each_variant([&](const ElementwiseKernels& kernels, size_t width, Rng& rng) {
        std::vector<float> gate = random_floats(rng, width, 20);
        const std::vector<float> up = random_floats(rng, width, 4);
        gate[0] = -300;  // e^300 is no float
        std::vector<float> out = up;
        silu_mul(kernels, {gate.data(), 1, width, width}, {out.data(), 1, width, width},
                 {out.data(), 1, width, width}, pool);
        for (size_t i = 0; i < width; ++i) {
            const double g = gate[i], expected = g / (1 + std::exp(-g)) * up[i];
            // exp 4 u, then a sum, a quotient and a product of u each
            ASSERT_NEAR(out[i], expected, 7.1 * kU * std::abs(expected) + 1e-35);
        }
    });
}

TEST(AddBias, adds_it_to_every_row_exactly) {
    Pool pool(2);
    for_each_variant([&](const ElementwiseKernels& kernels, size_t width, Rng& rng) {
        const std::vector<float> bias = random_floats(rng, width, 1);
        const std::vector<float> before = random_floats(rng, 2 * width, 1);
        std::vector<float> out = before;
        add_bias(kernels, bias.data(), {out.data(), 2, width, width}, pool);
        for (size_t i = 0; i < 2 * width; ++i)
            ASSERT_EQ(out[i], before[i] + bias[i % width]);
    });
}

TEST(Rope, turns_each_pair_by_its_angle_and_leaves_the_rest) {
    Pool pool(2);
    const size_t tokens = 5, heads = 3;
    for (const RowVariant& variant : row_variants())
        for (auto [head_dim, dims] :
             {std::pair<size_t, size_t>{8, 8}, {64, 64}, {80, 32}, {40, 38}})
            for (RopePairing pairing : {RopePairing::adjacent, RopePairing::halves}) {
                SCOPED_TRACE(concat(variant.name, " ", dims, " of ", head_dim));
                Rng rng(dims);
                const size_t width = heads * head_dim, pairs = dims / 2;
                const std::vector<float> before = random_floats(rng, tokens * width, 2);
                const std::vector<float> angle = random_floats(rng, tokens * pairs, 100);
                std::vector<float> cosines, sines;
                for (float a : angle)
                    cosines.push_back(std::cos(a)), sines.push_back(std::sin(a));
                std::vector<RopeAngles> angles;
                for (size_t t = 0; t < tokens; ++t)
                    angles.push_back({&cosines[t * pairs], &sines[t * pairs]});
                std::vector<float> x = before;
                rope(*variant.elementwise, {x.data(), tokens, width, width}, head_dim, dims,
                     pairing, angles, pool);

                std::vector<double> expected(before.begin(), before.end());
                for (size_t head = 0; head < tokens * heads; ++head)
                    for (size_t i = 0; i < pairs; ++i) {
                        const bool adjacent = pairing == RopePairing::adjacent;
                        double& a = expected[head * head_dim + (adjacent ? 2 * i : i)];
                        double& b = expected[head * head_dim + (adjacent ? 2 * i + 1 : i + pairs)];
                        const double c = cosines[head / heads * pairs + i];
                        const double s = sines[head / heads * pairs + i];
                        const double turned = a * c - b * s;
                        b = a * s + b * c;
                        a = turned;
                    }
                // two products and a sum of numbers up to 2: 4 u of at most 2 * sqrt(2)
                for (size_t i = 0; i < x.size(); ++i)
                    ASSERT_NEAR(x[i], expected[i], 12 * kU);
            }
}

TEST(Argmax, finds_the_first_of_the_greatest) {
    for_each_variant([&](const ElementwiseKernels& kernels, size_t width, Rng& rng) {
        for (int round = 0; round < 20; ++round) {
            std::vector<float> x(width);
            for (float& value : x)  // few values: many ties; some NaN and infinities
                value = rng.chance(0.1)   ? kNan
                        : rng.chance(0.1) ? -kInfinity
                                          : static_cast<float>(rng.between(-3, 3));
            size_t expected = 0;
            for (size_t i = 0; i < width; ++i)
                if (x[i] > x[expected] || (std::isnan(x[expected]) && !std::isnan(x[i])))
                    expected = i;
            ASSERT_EQ(argmax(kernels, x), expected);
        }
        const std::vector<float> nothing(width, kNan);
        EXPECT_EQ(argmax(kernels, nothing), 0u);
    });
}

TEST(LogSumExp, agrees_with_double_precision) {
    for_each_variant([&](const ElementwiseKernels& kernels, size_t width, Rng& rng) {
        std::vector<float> x = random_floats(rng, width * 50, 30);
        x[0] = -kInfinity;
        x[x.size() - 1] = 200;  // e^200 is no float
        double sum = 0;
        for (float value : x)
            sum += std::exp(static_cast<double>(value) - 200);
        EXPECT_NEAR(log_sum_exp(kernels, x), 200 + std::log(sum), 200 * kU + 70 * kU);
        EXPECT_EQ(log_sum_exp(kernels, std::vector<float>(width, -kInfinity)), -kInfinity);
    });
}

TEST(Softmax, agrees_with_double_precision_and_sums_to_one) {
    for_each_variant([&](const ElementwiseKernels& kernels, size_t width, Rng& rng) {
        for (float scale : {0.1f, 1.0f, 3.0f}) {
            std::vector<float> x = random_floats(rng, width * 10, 5);
            x[3] = -kInfinity;
            double sum = 0, out_sum = 0;
            for (float value : x)
                sum += std::exp(static_cast<double>(value) * scale);
            std::vector<float> out(x.size());
            softmax(kernels, x, scale, out);
            for (size_t i = 0; i < x.size(); ++i) {
                const double expected = std::exp(static_cast<double>(x[i]) * scale) / sum;
                // two roundings of an exponent up to 30, exp 4 u, 64 additions in a lane and 5
                // across
                ASSERT_NEAR(out[i], expected, (2 * 30 + 4 + 69 + 2) * kU * expected + 1e-37);
                out_sum += out[i];
            }
            EXPECT_EQ(out[3], 0);
            EXPECT_NEAR(out_sum, 1, 80 * kU);
            softmax(kernels, x, scale, x);  // in place
            EXPECT_EQ(x, out);
        }
    });
}

TEST(Elementwise, gives_a_row_the_same_bits_alone_and_among_many_on_any_threads) {
    const ElementwiseKernels& kernels = elementwise_kernels(best_isa());
    Rng rng(9);
    const size_t rows = 200, width = 577;
    const std::vector<float> x = random_floats(rng, rows * width, 1);
    const std::vector<float> weight = random_floats(rng, width, 1);
    std::vector<float> together(rows * width), alone(rows * width);
    Pool one(1), three(3);
    rms_norm(kernels, {x.data(), rows, width, width}, weight.data(), 1e-6f,
             {together.data(), rows, width, width}, three);
    silu_mul(kernels, {together.data(), rows, width, width}, {x.data(), rows, width, width},
             {together.data(), rows, width, width}, three);
    for (size_t row = 0; row < rows; ++row) {
        const ConstRows in{x.data() + row * width, 1, width, width};
        const Rows out{alone.data() + row * width, 1, width, width};
        rms_norm(kernels, in, weight.data(), 1e-6f, out, one);
        silu_mul(kernels, out, in, out, one);
    }
    EXPECT_EQ(together, alone);
}

}  // namespace
}  // namespace brigada
