#include "admit/price.h"

#include <set>

#include "base/rng.h"

namespace brigada {
namespace {

const Price kPrice{.rates = {.input = 3'000'000,
                             .cached_input = 300'000,
                             .cache_write = 3'750'000,
                             .output = 15'000'000}};

TEST(Price, prices_each_part_of_the_usage_apart) {
    const Usage usage{.input = 1'000, .cached_input = 90'000, .cache_write = 2'000, .output = 500};
    // 0.003 + 0.027 + 0.0075 + 0.0075 dollars
    EXPECT_EQ(cost(kPrice, usage), Money{45'000'000});
    EXPECT_EQ(cost(kPrice, {}), Money{0});
}

TEST(Price, rounds_up_once_for_the_whole_call) {
    Price price{.rates = {.input = 150, .cached_input = 1, .cache_write = 0, .output = 600}};
    EXPECT_EQ(cost(price, {.input = 1}), Money{1});
    EXPECT_EQ(cost(price, {.input = 4, .output = 0}), Money{1});
    EXPECT_EQ(cost(price, {.input = 4, .output = 4}), Money{3});
    EXPECT_EQ(cost(price, {.input = 4, .cached_input = 1, .output = 4}), Money{4});
    price.per_request = 1'999;
    EXPECT_EQ(cost(price, {}), Money{2});
    EXPECT_EQ(cost(price, {.cached_input = 1}), Money{2});
}

TEST(Price, takes_the_long_context_rates_for_the_whole_call) {
    Price price = kPrice;
    price.tiers = {{.above_tokens = 200'000, .rates = {.input = 6'000'000, .output = 22'500'000}},
                   {.above_tokens = 500'000, .rates = {.input = 9'000'000, .output = 30'000'000}}};
    const Usage at{.input = 100'000, .cached_input = 100'000, .output = 1'000};
    Usage over = at;
    over.cached_input += 1;
    EXPECT_EQ(cost(price, at), cost(kPrice, at));
    EXPECT_EQ(cost(price, over), Money{600'000'000 + 22'500'000});
    EXPECT_EQ(cost(price, {.input = 500'000}), Money{3'000'000'000});
    EXPECT_EQ(cost(price, {.input = 500'001, .output = 1'000}), Money{4'500'009'000 + 30'000'000});
}

TEST(Price, of_any_tiers_is_that_of_the_highest_one_below_the_prompt) {
    Rng rng(2);
    for (int i = 0; i < 500; ++i) {
        Price price{.rates = {.input = 1'000}};
        std::set<int64_t> thresholds;
        for (int64_t n = rng.between(0, 5); n > 0; --n)
            thresholds.insert(rng.between(1, 20));
        for (const int64_t above : thresholds)
            price.tiers.push_back({.above_tokens = above, .rates = {.input = 1'000 + above}});
        const int64_t prompt = rng.between(0, 22);
        int64_t rate = 1'000;
        for (const int64_t above : thresholds)
            if (prompt > above) rate = 1'000 + above;
        ASSERT_EQ(rates_for(price, prompt).input, rate);
    }
}

TEST(Price, stays_at_the_most_that_money_holds) {
    const Price dear{.rates = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
                     .per_request = INT64_MAX};
    const Usage much{.input = INT64_MAX / 4, .cached_input = INT64_MAX / 4, .output = INT64_MAX};
    EXPECT_EQ(cost(dear, much), Money{INT64_MAX});
}

TEST(Price, is_within_a_nano_dollar_of_long_doubles) {
    Rng rng(1);
    for (int i = 0; i < 2'000; ++i) {
        const auto rate = [&] { return rng.between(0, 100'000'000); };
        const auto tokens = [&] { return rng.between(0, 1'000'000); };
        const Price price{.rates = {rate(), rate(), rate(), rate()}, .per_request = rate()};
        const Usage usage{tokens(), tokens(), tokens(), tokens()};
        using Float = long double;
        const Float exact =
            (Float(usage.input) * Float(price.rates.input) +
             Float(usage.cached_input) * Float(price.rates.cached_input) +
             Float(usage.cache_write) * Float(price.rates.cache_write) +
             Float(usage.output) * Float(price.rates.output) + Float(price.per_request)) /
            1'000;
        const Float nano = Float(cost(price, usage).nano);
        ASSERT_GE(nano, exact - 0.001L);
        ASSERT_LT(nano, exact + 1.001L);
    }
}

TEST(Price, reads_decimal_dollars_from_the_text) {
    const std::pair<const char*, int64_t> cases[] = {
        {"3e-06", 3'000'000},
        {"0.00000015", 150'000},
        {"1.5E-7", 150'000},
        {"3.75e-08", 37'500},
        {"2.9999999999999997e-06", 3'000'000},
        {"8.750000000000001e-08", 87'500},
        {"0", 0},
        {"0.0", 0},
        {"0e999999", 0},
        {"1", 1'000'000'000'000},
        {"+2.5e+0", 2'500'000'000'000},
        {".5", 500'000'000'000},
        {"5.", 5'000'000'000'000},
        {"1e-12", 1},
        {"4.9e-13", 0},
        {"5e-13", 1},
        {"1.4999999999999999999999999999999999999999999999999e-12", 1},
        {"9e-999999999", 0},
        {"9223372.036854775807", INT64_MAX},
        {"0000000000000000000000000000000000000000000000003e-06", 3'000'000},
        {"0.00000000000000000000000000000000000000000000001e41", 1'000'000},
    };
    for (const auto& [text, pico] : cases) {
        SCOPED_TRACE(text);
        const Result<int64_t> parsed = parse_pico_dollars(text, "input_cost_per_token");
        ASSERT_TRUE(parsed.ok()) << parsed.error().message;
        EXPECT_EQ(*parsed, pico);
    }
}

TEST(Price, refuses_what_is_not_a_price) {
    for (const char* text : {"",
                             "-1",
                             "-0",
                             "abc",
                             "1e",
                             "1e+",
                             "1e+-3",
                             "1.2.3",
                             ".",
                             "e5",
                             "1 ",
                             " 1",
                             "0x10",
                             "nan",
                             "inf",
                             "1e99999999999",
                             "9223372.036854775808",
                             "1e30",
                             "1e2147483647",
                             "$3",
                             "1,5"}) {
        SCOPED_TRACE(text);
        const Result<int64_t> parsed = parse_pico_dollars(text, "output_cost_per_token");
        ASSERT_FALSE(parsed.ok());
        EXPECT_EQ(parsed.error().code, Code::invalid_argument);
        EXPECT_EQ(parsed.error().message.find("output_cost_per_token: "), 0u);
    }
}

}  // namespace
}  // namespace brigada
