// scaled_decimal: the decimal numbers of a configuration (seconds, dollars, fractions) as exact
// integers of a smaller unit, without a binary float in between: "0.1" dollars are 100,000,000
// nano.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace brigada {

/// text x 10^places: "1.5" with 3 places is 1500; "2e-3" is 2. Digits may be grouped by '_' as in
/// YAML 1.1. Nothing when the text is no decimal number, when the result would have a fraction, or
/// when it does not fit.
std::optional<int64_t> scaled_decimal(std::string_view text, int places);

/// The text is a decimal number that is not negative, however small: "3e-06", "0.00000018".
bool is_plain_decimal(std::string_view text);

}  // namespace brigada
