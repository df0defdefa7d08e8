// BudgetPeriod: how long a budget lasts before it begins anew. Days, weeks and months are the
// calendar's in a time zone, so a day has 23 or 25 hours when clocks change; shorter ones are so
// many seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "admit/time_zone.h"
#include "base/result.h"
#include "base/wall_time.h"

namespace brigada {

struct BudgetPeriod {
    enum class Unit : uint8_t { total, second, day, week, month };

    Unit unit = Unit::total;  // total: one window that never ends
    int64_t count = 1;        // so many of them make one window

    friend bool operator==(const BudgetPeriod&, const BudgetPeriod&) = default;
};

/// From `begin` on, before `end`.
struct BudgetWindow {
    WallTime begin = {};
    WallTime end = {};

    bool contains(WallTime time) const { return begin <= time && time < end; }
    friend bool operator==(const BudgetWindow&, const BudgetWindow&) = default;
};

/// "total", "hour", "day", "week", "month", or a number and s, m, h, d, w or mo, as in "30m". As in
/// LiteLLM 24h is the day, 7d the week and 30d the month of the calendar. Up to about ten years.
Result<BudgetPeriod> parse_period(std::string_view text);

/// How long a window is by the clock: days of 24 hours, months of 30 days; total: Duration::max().
Duration length_of(const BudgetPeriod& period);

/// As parse_period reads it.
std::string to_string(const BudgetPeriod& period);

/// The window that `time` is in. Windows follow each other without gap. Several units are counted
/// from 1970: seconds in UTC whatever the zone, days and months from the 1st of January, weeks from
/// Monday the 5th.
BudgetWindow window_of(const BudgetPeriod& period, TimeZone zone, WallTime time);

}  // namespace brigada
