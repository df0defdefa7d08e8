#include "admit/engine_hour.h"

#include "admit/price.h"
#include "base/rng.h"

namespace brigada {
namespace {

// Eight GPUs at 2.20 dollars, 20,000 tokens read or 2,400 written in a second:
// 17.60 / 3600 / 20,000 = 0.000000244444..., / 2,400 = 0.000002037037...
TEST(EngineHour, divides_a_second_by_the_tokens_of_a_second) {
    const EngineHour hour{.price = {17'600'000'000}};
    EXPECT_EQ(rates_of(hour, {20'000, 2'400}), (TokenRates{.input = 244'444,
                                                           .cached_input = 24'444,
                                                           .cache_write = 244'444,
                                                           .output = 2'037'037}));
    EXPECT_EQ(second_of(hour), 4'888'888'889);
}

TEST(EngineHour, makes_busy_seconds_pay_for_idle_ones) {
    const EngineHour half{.price = {3'600'000'000}, .busy_permille = 500, .cached_permille = 0};
    EXPECT_EQ(rates_of(half, {1'000, 100}),
              (TokenRates{.input = 2'000'000, .cache_write = 2'000'000, .output = 20'000'000}));
}

TEST(EngineHour, stays_within_its_integers) {
    const EngineHour dear{.price = {INT64_MAX}, .busy_permille = 1, .cached_permille = 1'000};
    EXPECT_EQ(rates_of(dear, {1, 1}).output, INT64_MAX);
    EXPECT_EQ(rates_of({}, {1, 1}), TokenRates{});
    EXPECT_EQ(rates_of({.price = {1}}, {INT64_MAX, INT64_MAX}).input, 0);
}

/// What the tokens of an hour cost is the hour, however it is divided between reading and writing.
TEST(EngineHour, an_hour_of_work_costs_an_hour) {
    Rng rng(1);
    for (int i = 0; i < 500; ++i) {
        const EngineHour hour{.price = {rng.between(100'000'000, 100'000'000'000)}};
        const Throughput speed{rng.between(100, 100'000), rng.between(10, 10'000)};
        const int64_t reading_s = rng.between(0, 3'600);
        const Usage usage{.input = reading_s * speed.prefill_tokens_per_s,
                          .output = (3'600 - reading_s) * speed.decode_tokens_per_s};
        const Money paid = cost({.rates = rates_of(hour, speed)}, usage);
        // Each rate is off by half a pico-dollar at most.
        const int64_t bound = usage.total() / 2'000 + 1;
        ASSERT_NEAR(static_cast<double>(paid.nano), static_cast<double>(hour.price.nano),
                    static_cast<double>(bound));
    }
}

}  // namespace
}  // namespace brigada
