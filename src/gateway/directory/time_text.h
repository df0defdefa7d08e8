// Times and durations as management bodies write them: "2026-03-01T00:00:00Z", "30d", "1mo".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wall_time.h"

namespace brigada {

/// "2026-03-01T12:30:05Z", to the second.
std::string iso_text(WallTime time);

/// A date, or a date and a time with Z, an offset or nothing (then UTC); fractions are cut off.
/// Error::invalid_argument shows the text and what would work.
Result<WallTime> parse_iso(std::string_view text);

/// Whether a text is a duration: a whole number above 0 and s, m, h, d, w or mo.
bool is_duration(std::string_view text);

/// `start` and a duration; "mo" counts calendar months in UTC and ends on the month's last day
/// where the day does not exist. Error::invalid_argument.
Result<WallTime> after(WallTime start, std::string_view duration);

}  // namespace brigada
