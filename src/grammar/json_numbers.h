// Numbers between bounds, as pieces of a grammar: exact in decimal, digit by digit, and by
// remainders for multiples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "grammar/grammar_builder.h"
#include "grammar/json_text.h"

namespace brigada {

/// What a schema says of a number. Bounds that were not said are open.
struct NumberBounds {
    struct Bound {
        Json value;  // a number
        bool exclusive = false;
    };
    std::vector<Bound> low, high;
    std::vector<Json> multiple_of;

    bool none() const { return low.empty() && high.empty() && multiple_of.empty(); }
};

/// Integers written without point and exponent, of at most kMaxIntegerDigits digits.
/// Error::unsupported for multiples that are neither whole nor parts of 1; ::too_large for large
/// ones.
Result<Expr> bounded_integer(JsonText& json, const NumberBounds& bounds);

/// Numbers written without exponent. Beside a bound their fraction is so short that 15 digits are
/// not passed: two of them then never become the same double. Multiples may be whole or a power of
/// ten.
Result<Expr> bounded_number(JsonText& json, const NumberBounds& bounds);

}  // namespace brigada
