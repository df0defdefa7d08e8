// TokenRates: what tokens cost, each part of a usage apart, in pico-dollars (10^-12): the smallest
// published price is a whole number.
#pragma once

#include <cstdint>

namespace brigada {

/// Pico-dollars per token. None is negative.
struct TokenRates {
    int64_t input = 0;
    int64_t cached_input = 0;
    int64_t cache_write = 0;
    int64_t output = 0;

    friend bool operator==(const TokenRates&, const TokenRates&) = default;
};

}  // namespace brigada
