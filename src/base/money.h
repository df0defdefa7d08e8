// Money: integer nano-dollars, so that sums are exact and budgets compare without rounding.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace brigada {

/// 10^-9 US dollars each; up to about 9.2 billion dollars.
struct Money {
    int64_t nano = 0;

    static constexpr Money dollars(int64_t n) { return {n * 1'000'000'000}; }

    friend constexpr auto operator<=>(Money, Money) = default;
    friend constexpr Money operator+(Money a, Money b) { return {a.nano + b.nano}; }
    friend constexpr Money operator-(Money a, Money b) { return {a.nano - b.nano}; }
    constexpr Money& operator+=(Money other) { return *this = *this + other; }
    constexpr Money& operator-=(Money other) { return *this = *this - other; }
};

/// "12.50", "0.0000104": exact, with two places at least. Shown, never parsed back.
std::string decimal_dollars(Money money);

}  // namespace brigada
