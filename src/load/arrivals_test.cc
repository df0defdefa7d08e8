#include "load/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brigada {

namespace {

struct Moments {
    double mean = 0, cv = 0;
};

Moments moments_of(ArrivalRate rate, int draws) {
    Arrivals arrivals(rate, 7);
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
        const double gap = arrivals.next_gap().seconds();
        sum += gap;
        squares += gap * gap;
    }
    const double mean = sum / draws;
    return {mean, std::sqrt(squares / draws - mean * mean) / mean};
}

TEST(Arrivals, without_variation_come_evenly) {
    Arrivals arrivals({.per_second = 4, .cv = 0}, 1);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(arrivals.next_gap(), Duration::milliseconds(250));
}

// The standard error of a mean of n gaps is cv / sqrt(n) of it: 0.4 and 1.2 % here.
TEST(Arrivals, have_the_mean_and_the_variation_they_are_asked_for) {
    for (const double cv : {0.3, 1.0, 3.0}) {
        SCOPED_TRACE(cv);
        const Moments seen = moments_of({.per_second = 5, .cv = cv}, 60'000);
        EXPECT_NEAR(seen.mean * 5, 1, 0.06);
        EXPECT_NEAR(seen.cv / cv, 1, 0.1);
    }
}

// Of exponential gaps 1 / e are longer than their mean.
TEST(Arrivals, with_a_variation_of_one_are_poisson) {
    Arrivals arrivals({.per_second = 1, .cv = 1}, 3);
    int longer = 0;
    for (int i = 0; i < 20'000; ++i)
        longer += arrivals.next_gap() > Duration::seconds(1);
    EXPECT_NEAR(longer / 20'000.0, std::exp(-1), 0.015);
}

TEST(Arrivals, of_one_seed_are_the_same) {
    Arrivals one({.per_second = 2, .cv = 2}, 9), two({.per_second = 2, .cv = 2}, 9);
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ(one.next_gap(), two.next_gap());
}

}  // namespace

}  // namespace brigada
