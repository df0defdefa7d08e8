#include "gateway/deployment_price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brigada {
namespace {

using ::testing::ElementsAre;

Deployment engine_at(Money hour) {
    Deployment out;
    out.engine.hourly_price = hour;
    out.engine.prefill_tokens_per_second = 20'000;
    out.engine.total_decode_tokens_per_second = 2'400;
    return out;
}

TEST(DeploymentPrice, is_that_of_the_configuration_where_it_gives_one) {
    const Deployment given{.prices = {.input = "3e-06", .output = "1.5e-05", .request = "0.001"}};
    EXPECT_EQ(price_of(given, {}), (Price{.rates = {3'000'000, 3'000'000, 3'000'000, 15'000'000},
                                          .per_request = 1'000'000'000}));
    EXPECT_EQ(declared_throughput(given), std::nullopt);
}

TEST(DeploymentPrice, is_divided_from_the_hour_where_nothing_is_given) {
    Deployment engine = engine_at({17'600'000'000});
    engine.engine.busy_permille = 500;
    engine.engine.cached_permille = 50;
    EXPECT_EQ(price_of(engine, declared_throughput(engine)).rates,
              (TokenRates{488'889, 24'444, 488'889, 4'074'074}));
    engine.prices.output = "1e-06";
    EXPECT_EQ(price_of(engine, declared_throughput(engine)).rates,
              (TokenRates{488'889, 24'444, 488'889, 1'000'000}));
    engine.prices.input = "2e-06";  // then cached input is not of the hour's input either
    EXPECT_EQ(price_of(engine, declared_throughput(engine)).rates,
              (TokenRates{2'000'000, 2'000'000, 2'000'000, 1'000'000}));
}

TEST(DeploymentPrice, of_a_tier_is_that_of_the_tier_below_where_it_says_nothing) {
    const Deployment tiers{
        .prices = {.input = "1e-06", .cached_input = "1e-07", .output = "5e-06"},
        .price_tiers = {{128'000, {.input = "2e-06"}}, {256'000, {.output = "9e-06"}}}};
    EXPECT_EQ(
        price_of(tiers, {}).tiers,
        (std::vector<LongContextTier>{{128'000, {2'000'000, 100'000, 2'000'000, 5'000'000}},
                                      {256'000, {2'000'000, 100'000, 2'000'000, 9'000'000}}}));
}

TEST(DeploymentPrice, shows_its_arithmetic) {
    Deployment engine = engine_at({17'600'000'000});
    engine.engine.busy_permille = 625;
    EXPECT_THAT(
        price_words(engine, declared_throughput(engine)),
        ElementsAre("an hour costs $17.60 and is busy for 62.5 %: / 3600 / 62.5 % = "
                    "$0.007822222222 a busy second",
                    "input: $0.007822222222 / 20000 tokens a second (declared) = $0.000000391111 "
                    "a token",
                    "output: $0.007822222222 / 2400 tokens a second (declared) = $0.000003259259 "
                    "a token",
                    "cached input: 10 % of input = $0.000000039111 a token"));
    engine.prices = {.input = "1e-06", .request = "2"};
    engine.price_tiers = {{1'000, {.input = "2e-06"}}};
    EXPECT_THAT(price_words(engine, KnownThroughput{{10, 1'000}, true}),
                ElementsAre("an hour costs $17.60 and is busy for 62.5 %: / 3600 / 62.5 % = "
                            "$0.007822222222 a busy second",
                            "output: $0.007822222222 / 1000 tokens a second (measured) = "
                            "$0.000007822222 a token",
                            "input: $0.000001 a token, as the configuration says",
                            "with more than 1000 prompt tokens: input $0.000002, cached input "
                            "$0.000002, output $0.000007822222 a token",
                            "and $2 a call"));
    EXPECT_THAT(price_words({}, {}), ElementsAre("calls cost nothing: no price is given"));
}

TEST(DeploymentPrice, pico_dollars_are_shown_exactly) {
    EXPECT_EQ(dollars_of_pico(0), "0");
    EXPECT_EQ(dollars_of_pico(1), "0.000000000001");
    EXPECT_EQ(dollars_of_pico(2'500'000'000'000), "2.5");
    EXPECT_EQ(dollars_of_pico(INT64_MAX), "9223372.036854775807");
}

}  // namespace
}  // namespace brigada
