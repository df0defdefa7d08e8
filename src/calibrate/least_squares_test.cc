#include "calibrate/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brigada {
namespace {

/// y = a x^b at a few x, found from far away.
TEST(LeastSquares, finds_the_parameters_that_made_the_data) {
    for (const double a : {0.01, 1.0, 70.0}) {
        for (const double b : {0.3, 1.0, 2.5}) {
            const auto residuals = [&](std::span<const double> p) {
                std::vector<double> out;
                for (const double x : {1.0, 2.0, 5.0, 9.0})
                    out.push_back(std::log(p[0] * std::pow(x, p[1])) -
                                  std::log(a * std::pow(x, b)));
                return out;
            };
            const auto found =
                least_squares(residuals, {{1, 1e-4, 1e4}, {1, 1e-2, 10}},
                              {.steps = 60, .difference = 0.001, .enough = 1e-9, .prior = 0});
            EXPECT_NEAR(found[0] / a, 1, 0.01);
            EXPECT_NEAR(found[1] / b, 1, 0.01);
        }
    }
}

TEST(LeastSquares, stays_within_bounds) {
    const auto residuals = [](std::span<const double> p) {
        return std::vector<double>{std::log(p[0] / 50)};
    };
    EXPECT_NEAR(least_squares(residuals, {{1, 0.5, 8}}).front(), 8, 1e-9);
}

TEST(LeastSquares, what_the_data_does_not_decide_stays) {
    const auto residuals = [](std::span<const double> p) {
        return std::vector<double>{std::log(p[0] / 3)};
    };
    const auto found = least_squares(residuals, {{1, 0.1, 10}, {7, 1, 10}});
    EXPECT_NEAR(found[0], 3, 0.03);
    EXPECT_NEAR(found[1], 7, 1e-6);
}

/// Only the sum of two is known: it is met, and both moved.
TEST(LeastSquares, two_that_cannot_be_told_apart_do_no_harm) {
    const auto residuals = [](std::span<const double> p) {
        return std::vector<double>{std::log((p[0] + p[1]) / 6)};
    };
    const auto found = least_squares(residuals, {{1, 0.1, 10}, {1, 0.1, 10}});
    EXPECT_NEAR(found[0] + found[1], 6, 0.1);
    EXPECT_NEAR(found[0], found[1], 1e-6);
}

}  // namespace
}  // namespace brigada
