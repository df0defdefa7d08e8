// Decimal: a number of JSON in its digits, compared without rounding.
#pragma once

#include <compare>
#include <string>

#include "base/json.h"

namespace brigada {

struct Decimal {
    bool negative = false;    // never of zero
    std::string whole = "0";  // without leading zeros
    std::string fraction{};   // without trailing zeros

    /// Of a JSON number, by the shortest digits that mean it.
    static Decimal of(const Json& number);

    bool zero() const { return whole == "0" && fraction.empty(); }
    Decimal negated() const { return {zero() ? false : !negative, whole, fraction}; }
    bool operator==(const Decimal&) const = default;
};

/// Digits without leading zeros, as numbers.
std::strong_ordering compare_digits(const std::string& a, const std::string& b);

std::strong_ordering compare(const Decimal& a, const Decimal& b);

/// The next and the last whole number; the last one of "0" is not asked for.
std::string incremented(std::string digits);
std::string decremented(std::string digits);

}  // namespace brigada
