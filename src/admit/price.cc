#include "admit/price.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {
namespace {

using Wide = unsigned __int128;

constexpr int64_t kPicoPerNano = 1'000;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Both are below 2^63, so four products and a fee stay below 2^128.
Wide product(int64_t tokens, int64_t rate) {
    CHECK(tokens >= 0 && rate >= 0, tokens, " tokens at ", rate);
    return static_cast<Wide>(tokens) * static_cast<Wide>(rate);
}

/// digits * 10^exponent.
struct Decimal {
    Wide digits = 0;
    int64_t exponent = 0;
};

// 10^30 times ten still fits 128 bits. What follows is worth less than 10^-29 of the number.
constexpr Wide kEnoughDigits = static_cast<Wide>(1'000'000'000'000'000) * 1'000'000'000'000'000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void add_digit(Decimal& decimal, char digit, bool is_fraction) {
    const bool fits = decimal.digits < kEnoughDigits;
    if (fits) decimal.digits = decimal.digits * 10 + static_cast<Wide>(digit - '0');
    decimal.exponent += (fits ? 0 : 1) - (is_fraction ? 1 : 0);
}

/// Takes "12.5" off the front of `text`; false if it has no digit.
bool take_digits(std::string_view& text, Decimal& decimal) {
    bool is_fraction = false;
    bool has_digit = false;
    for (; !text.empty(); text.remove_prefix(1)) {
        if (is_digit(text[0])) {
            has_digit = true;
            add_digit(decimal, text[0], is_fraction);
        } else if (text[0] == '.' && !is_fraction) {
            is_fraction = true;
        } else {
            break;
        }
    }
    return has_digit;
}

/// Takes "e-06" off the front of `text`, if it is there; false if it is there and wrong.
bool take_exponent(std::string_view& text, Decimal& decimal) {
    if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return true;
    text.remove_prefix(1);
    const bool has_plus = text.starts_with('+') && text.size() > 1 && is_digit(text[1]);
    if (has_plus) text.remove_prefix(1);
    int32_t exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    decimal.exponent += exponent;
    return true;
}

std::optional<Decimal> read_decimal(std::string_view text) {
    Decimal decimal;
    if (text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits(text, decimal) || !take_exponent(text, decimal) || !text.empty())
        return std::nullopt;
    return decimal;
}

/// digits * 10^exponent as a whole number, rounded half up; nothing if int64 does not hold it.
std::optional<int64_t> to_integer(Decimal decimal) {
    if (decimal.digits == 0) return 0;
    bool round_up = false;
    for (; decimal.exponent < 0 && (decimal.digits > 0 || round_up); ++decimal.exponent) {
        round_up = decimal.digits % 10 >= 5;
        decimal.digits /= 10;
    }
    for (; decimal.exponent > 0 && decimal.digits <= kMost; --decimal.exponent)
        decimal.digits *= 10;
    decimal.digits += round_up ? 1 : 0;
    if (decimal.digits > kMost) return std::nullopt;
    return static_cast<int64_t>(decimal.digits);
}

}  // namespace

const TokenRates& rates_for(const Price& price, int64_t prompt_tokens) {
    const auto beyond =
        std::ranges::lower_bound(price.tiers, prompt_tokens, {}, &LongContextTier::above_tokens);
    return beyond == price.tiers.begin() ? price.rates : std::prev(beyond)->rates;
}

Money cost(const Price& price, const Usage& usage) {
    const TokenRates& rates = rates_for(price, usage.prompt());
    const Wide pico = product(usage.input, rates.input) +
                      product(usage.cached_input, rates.cached_input) +
                      product(usage.cache_write, rates.cache_write) +
                      product(usage.output, rates.output) + product(1, price.per_request);
    const Wide nano = pico / kPicoPerNano + (pico % kPicoPerNano > 0 ? 1 : 0);
    return {static_cast<int64_t>(std::min<Wide>(nano, kMost))};
}

Result<int64_t> parse_pico_dollars(std::string_view text, std::string_view what) {
    std::optional<Decimal> dollars = read_decimal(text);
    if (!dollars)
        return Error{Code::invalid_argument,
                     concat(what, ": '", text, "' is not a price; write decimal dollars, 3e-06 or ",
                            "0.000003")};
    dollars->exponent += 12;
    const std::optional<int64_t> pico = to_integer(*dollars);
    if (!pico)
        return Error{Code::invalid_argument,
                     concat(what, ": ", text, " dollars is too much; up to 9 million can be said")};
    return *pico;
}

}  // namespace brigada
