// Price: what one model's tokens and calls cost, in pico-dollars (10^-12), so that the smallest
// published price is a whole number. A call's cost is summed exactly and rounded up once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/result.h"
#include "base/token_rates.h"
#include "base/usage.h"

namespace brigada {

/// For calls whose prompt has more than `above_tokens` tokens; the whole call then goes by `rates`,
/// unless a higher tier has its prompt, too.
struct LongContextTier {
    int64_t above_tokens = 0;
    TokenRates rates = {};

    friend bool operator==(const LongContextTier&, const LongContextTier&) = default;
};

struct Price {
    TokenRates rates = {};
    int64_t per_request = 0;                  // pico-dollars
    std::vector<LongContextTier> tiers = {};  // ascending, each threshold once

    friend bool operator==(const Price&, const Price&) = default;
};

/// What a call with such a prompt goes by.
const TokenRates& rates_for(const Price& price, int64_t prompt_tokens);

/// Exact in 128 bits and rounded up to a nano-dollar. The most that Money holds if it is more.
Money cost(const Price& price, const Usage& usage);

/// Decimal dollars as a configuration writes them, "3e-06" or "0.00000015", to pico-dollars, from
/// the text: no binary float comes in between. Beyond twelve places it rounds half up, so that
/// 2.9999999999999997e-06, a float's way to say 3e-06, is that. `what` names it in the error.
Result<int64_t> parse_pico_dollars(std::string_view text, std::string_view what);

}  // namespace brigada
