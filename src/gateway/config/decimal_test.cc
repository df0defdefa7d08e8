#include "gateway/config/decimal.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(ScaledDecimal, reads_what_people_write) {
    struct Case {
        std::string_view text;
        int places;
        std::optional<int64_t> expected;
    };
    const Case cases[] = {
        {"0", 0, 0},
        {"600", 0, 600},
        {"600.0", 0, 600},
        {"1_000", 0, 1000},
        {"1.5", 3, 1500},
        {".5", 1, 5},
        {"5.", 0, 5},
        {"0.1", 9, 100'000'000},
        {"2e-3", 3, 2},
        {"3E+2", 0, 300},
        {"1e3", 0, 1000},
        {"-2.5", 1, -25},
        {"+7", 0, 7},
        {"0e50", 0, 0},
        {"0.000", 0, 0},
        {"9223372036854775807", 0, std::numeric_limits<int64_t>::max()},
        {"9223372036854775808", 0, std::nullopt},
        {"1e19", 0, std::nullopt},
        {"1e101", 0, std::nullopt},
        {"0.0001", 3, std::nullopt},  // finer than the unit
        {"", 0, std::nullopt},
        {".", 0, std::nullopt},
        {"-", 0, std::nullopt},
        {"1e", 0, std::nullopt},
        {"1__0", 0, std::nullopt},
        {"_1", 0, std::nullopt},
        {"1_", 0, std::nullopt},
        {"12 ", 0, std::nullopt},
        {"0x10", 0, std::nullopt},
        {"1.2.3", 3, std::nullopt},
        {"inf", 0, std::nullopt},
        {"nan", 0, std::nullopt},
    };
    for (const Case& c : cases)
        EXPECT_EQ(scaled_decimal(c.text, c.places), c.expected) << c.text;
}

// The model: the digits as an integer, with the point put back where it came from.
TEST(ScaledDecimal, gives_back_every_integer_wherever_its_point_stands) {
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        Rng rng(seed);
        const auto value = static_cast<int64_t>(rng.below(1'000'000'000'000) >> rng.below(40));
        const int places = static_cast<int>(rng.below(10));
        std::string digits = std::to_string(value);
        if (digits.size() <= static_cast<size_t>(places))
            digits.insert(0, static_cast<size_t>(places) + 1 - digits.size(), '0');
        digits.insert(digits.size() - static_cast<size_t>(places), ".");
        ASSERT_EQ(scaled_decimal(digits, places), value) << digits;
        const std::string shifted = digits + "e" + std::to_string(places);
        ASSERT_EQ(scaled_decimal(shifted, 0), value) << shifted;
    }
}

TEST(IsPlainDecimal, takes_prices_however_small) {
    for (const char* good : {"0", "3e-06", "0.00000018", "1E-12", "15"})
        EXPECT_TRUE(is_plain_decimal(good)) << good;
    for (const char* bad : {"", "-1", "free", "1e", "$3", "0,5"})
        EXPECT_FALSE(is_plain_decimal(bad)) << bad;
}

}  // namespace
}  // namespace brigada
