#include "admit/budget_period.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {
namespace {

using Unit = BudgetPeriod::Unit;

constexpr int64_t kHour = 3'600;
constexpr int64_t kDaySeconds = 24 * kHour;
constexpr int64_t kLongestDays = 3'660;
const date::local_days kFirstMonday{date::days(4)};  // 1970-01-05

int64_t floor_to(int64_t value, int64_t step) {
    const int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

std::optional<BudgetPeriod> period_of(int64_t count, std::string_view unit) {
    if (unit == "s") return BudgetPeriod{Unit::second, count};
    if (unit == "m") return BudgetPeriod{Unit::second, count * 60};
    if (unit == "h") return BudgetPeriod{Unit::second, count * kHour};
    if (unit == "d") return BudgetPeriod{Unit::day, count};
    if (unit == "w") return BudgetPeriod{Unit::week, count};
    if (unit == "mo") return BudgetPeriod{Unit::month, count};
    return std::nullopt;
}

/// What LiteLLM aligns with the calendar.
BudgetPeriod aligned(BudgetPeriod period) {
    if (period == BudgetPeriod{Unit::second, kDaySeconds}) return {Unit::day, 1};
    if (period == BudgetPeriod{Unit::day, 7}) return {Unit::week, 1};
    if (period == BudgetPeriod{Unit::day, 30}) return {Unit::month, 1};
    return period;
}

bool is_sensible(const BudgetPeriod& period) {
    switch (period.unit) {
        case Unit::total:
            return true;
        case Unit::second:
            return period.count <= kLongestDays * kDaySeconds;
        case Unit::day:
            return period.count <= kLongestDays;
        case Unit::week:
            return period.count <= kLongestDays / 7;
        case Unit::month:
            return period.count <= kLongestDays / 30;
    }
    return false;
}

constexpr std::pair<std::string_view, BudgetPeriod> kNamed[] = {
    {"total", {Unit::total, 1}}, {"hour", {Unit::second, kHour}}, {"day", {Unit::day, 1}},
    {"week", {Unit::week, 1}},   {"month", {Unit::month, 1}},
};

std::optional<BudgetPeriod> read_period(std::string_view text) {
    const auto named =
        std::ranges::find(kNamed, text, [](const auto& entry) { return entry.first; });
    if (named != std::end(kNamed)) return named->second;
    int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_counted =
        error == std::errc() && count > 0 && count <= kLongestDays * kDaySeconds;
    if (!is_counted) return std::nullopt;
    const auto period = period_of(count, text.substr(static_cast<size_t>(end - text.data())));
    if (!period || !is_sensible(*period)) return std::nullopt;
    return aligned(*period);
}

BudgetWindow seconds_window(int64_t seconds, WallTime time) {
    const int64_t length = Duration::seconds(seconds).ns();
    const int64_t begin = floor_to(time.ns, length);
    return {{begin}, {begin + length}};
}

BudgetWindow days_window(int64_t days, date::local_days origin, TimeZone zone, WallTime time) {
    const int64_t day = (zone.day_of(time) - origin).count();
    const int64_t first = floor_to(day, days);
    const auto begin_of = [&](int64_t n) {
        return zone.begin_of(origin + date::days(static_cast<int>(n)));
    };
    return {begin_of(first), begin_of(first + days)};
}

BudgetWindow months_window(int64_t months, TimeZone zone, WallTime time) {
    constexpr date::year_month kOrigin = date::year(1970) / date::January;
    const date::year_month_day today(zone.day_of(time));
    const int64_t month = (today.year() / today.month() - kOrigin).count();
    const int64_t first = floor_to(month, months);
    const auto begin_of = [&](int64_t n) {
        return zone.begin_of(date::local_days((kOrigin + date::months(static_cast<int>(n))) / 1));
    };
    return {begin_of(first), begin_of(first + months)};
}

}  // namespace

Result<BudgetPeriod> parse_period(std::string_view text) {
    const std::optional<BudgetPeriod> period = read_period(text);
    if (!period)
        return Error{
            Code::invalid_argument,
            concat("budget period '", text, "': write hour, day, week, month, total, or a ",
                   "number and s, m, h, d, w or mo, as in 30d; up to ten years")};
    return *period;
}

Duration length_of(const BudgetPeriod& period) {
    constexpr Duration kDay = Duration::seconds(24 * 3'600);
    switch (period.unit) {
        case BudgetPeriod::Unit::total:
            break;
        case BudgetPeriod::Unit::second:
            return Duration::seconds(period.count);
        case BudgetPeriod::Unit::day:
            return kDay * period.count;
        case BudgetPeriod::Unit::week:
            return kDay * 7 * period.count;
        case BudgetPeriod::Unit::month:
            return kDay * 30 * period.count;
    }
    return Duration::max();
}

std::string to_string(const BudgetPeriod& period) {
    const auto named =
        std::ranges::find(kNamed, period, [](const auto& entry) { return entry.second; });
    if (named != std::end(kNamed)) return std::string(named->first);
    switch (period.unit) {
        case Unit::second:
            return concat(period.count, "s");
        case Unit::day:
            return concat(period.count, "d");
        case Unit::week:
            return concat(period.count, "w");
        case Unit::month:
            return concat(period.count, "mo");
        case Unit::total:
            break;
    }
    return "total";
}

BudgetWindow window_of(const BudgetPeriod& period, TimeZone zone, WallTime time) {
    CHECK(period.count > 0);
    switch (period.unit) {
        case Unit::second:
            return seconds_window(period.count, time);
        case Unit::day:
            return days_window(period.count, date::local_days(), zone, time);
        case Unit::week:
            return days_window(period.count * 7, kFirstMonday, zone, time);
        case Unit::month:
            return months_window(period.count, zone, time);
        case Unit::total:
            break;
    }
    return {{std::numeric_limits<int64_t>::min()}, {std::numeric_limits<int64_t>::max()}};
}

}  // namespace brigada
