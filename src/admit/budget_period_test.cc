#include "admit/budget_period.h"

#include <sstream>

#include "base/rng.h"

namespace brigada {
namespace {

/// "2026-03-29T01:30:00", UTC.
WallTime utc(const std::string& text) {
    std::istringstream in(text);
    date::sys_seconds time;
    in >> date::parse("%FT%T", time);
    EXPECT_FALSE(in.fail()) << text;
    return WallTime::seconds(time.time_since_epoch().count());
}

std::string show(WallTime time) {
    return date::format("%FT%T", date::sys_seconds(std::chrono::seconds(time.ns / 1'000'000'000)));
}

/// "begin end", UTC.
std::string window(const char* period, const char* zone, const char* time) {
    const BudgetWindow window =
        window_of(parse_period(period).value(), TimeZone::find(zone).value(), utc(time));
    return show(window.begin) + " " + show(window.end);
}

TEST(BudgetPeriod, reads_names_and_litellm_durations) {
    using Unit = BudgetPeriod::Unit;
    const std::tuple<const char*, Unit, int64_t, const char*> cases[] = {
        {"total", Unit::total, 1, "total"},
        {"hour", Unit::second, 3'600, "hour"},
        {"1h", Unit::second, 3'600, "hour"},
        {"day", Unit::day, 1, "day"},
        {"24h", Unit::day, 1, "day"},
        {"1d", Unit::day, 1, "day"},
        {"week", Unit::week, 1, "week"},
        {"7d", Unit::week, 1, "week"},
        {"1w", Unit::week, 1, "week"},
        {"month", Unit::month, 1, "month"},
        {"30d", Unit::month, 1, "month"},
        {"1mo", Unit::month, 1, "month"},
        {"3mo", Unit::month, 3, "3mo"},
        {"30s", Unit::second, 30, "30s"},
        {"30m", Unit::second, 1'800, "1800s"},
        {"30h", Unit::second, 108'000, "108000s"},
        {"3d", Unit::day, 3, "3d"},
        {"2w", Unit::week, 2, "2w"},
    };
    for (const auto& [text, unit, count, shown] : cases) {
        SCOPED_TRACE(text);
        const BudgetPeriod period = parse_period(text).value();
        EXPECT_EQ(period, (BudgetPeriod{unit, count}));
        EXPECT_EQ(to_string(period), shown);
        EXPECT_EQ(parse_period(shown).value(), period);
    }
}

TEST(BudgetPeriod, refuses_what_is_no_period) {
    for (const char* text : {"", "0s", "-1d", "30", "d", "1y", "1.5h", "30 d", "Day", "1M",
                             "99999999999999999999s", "9223372036854775807h", "4000d", "200mo"})
        EXPECT_EQ(parse_period(text).error().code, Code::invalid_argument) << text;
}

TEST(BudgetPeriod, begins_days_weeks_and_months_in_the_zone) {
    EXPECT_EQ(window("hour", "UTC", "2026-11-29T22:37:00"),
              "2026-11-29T22:00:00 2026-11-29T23:00:00");
    EXPECT_EQ(window("30m", "Asia/Kolkata", "2026-11-29T22:37:00"),
              "2026-11-29T22:30:00 2026-11-29T23:00:00");
    EXPECT_EQ(window("day", "UTC", "2026-11-29T22:37:00"),
              "2026-11-29T00:00:00 2026-11-30T00:00:00");
    EXPECT_EQ(window("day", "Europe/Madrid", "2026-11-29T23:37:00"),
              "2026-11-29T23:00:00 2026-11-30T23:00:00");
    EXPECT_EQ(window("week", "UTC", "2026-11-29T22:37:00"),  // a Sunday
              "2026-11-23T00:00:00 2026-11-30T00:00:00");
    EXPECT_EQ(window("week", "Europe/Madrid", "2026-11-29T23:00:00"),  // Monday there
              "2026-11-29T23:00:00 2026-12-06T23:00:00");
    EXPECT_EQ(window("month", "UTC", "2028-02-29T12:00:00"),
              "2028-02-01T00:00:00 2028-03-01T00:00:00");
    EXPECT_EQ(window("month", "America/New_York", "2026-12-01T04:59:59"),
              "2026-11-01T04:00:00 2026-12-01T05:00:00");
    EXPECT_EQ(window("3mo", "UTC", "2026-11-29T00:00:00"),
              "2026-10-01T00:00:00 2027-01-01T00:00:00");
    EXPECT_EQ(window("day", "UTC", "1969-12-31T12:00:00"),
              "1969-12-31T00:00:00 1970-01-01T00:00:00");
}

TEST(BudgetPeriod, gives_madrid_a_day_of_23_and_one_of_25_hours) {
    EXPECT_EQ(window("day", "Europe/Madrid", "2026-03-29T12:00:00"),
              "2026-03-28T23:00:00 2026-03-29T22:00:00");
    EXPECT_EQ(window("day", "Europe/Madrid", "2026-10-25T12:00:00"),
              "2026-10-24T22:00:00 2026-10-25T23:00:00");
    EXPECT_EQ(window("month", "Europe/Madrid", "2026-10-25T12:00:00"),
              "2026-09-30T22:00:00 2026-10-31T23:00:00");
}

TEST(BudgetPeriod, begins_a_day_without_midnight_when_the_clock_jumps_over_it) {
    // Havana goes from 0:00 to 1:00, and back from 1:00 to a second 0:00.
    EXPECT_EQ(window("day", "America/Havana", "2026-03-08T12:00:00"),
              "2026-03-08T05:00:00 2026-03-09T04:00:00");
    EXPECT_EQ(window("day", "America/Havana", "2026-11-01T05:30:00"),
              "2026-11-01T04:00:00 2026-11-02T05:00:00");
}

TEST(BudgetPeriod, never_ends_in_total) {
    const BudgetWindow window = window_of({}, {}, WallTime::seconds(1));
    EXPECT_TRUE(window.contains({INT64_MIN}));
    EXPECT_TRUE(window.contains(WallTime::seconds(9'000'000'000)));
}

TEST(BudgetPeriod, leaves_no_gap_between_windows) {
    Rng rng(1);
    for (const char* zone : {"UTC", "Europe/Madrid", "America/Havana", "Australia/Lord_Howe",
                             "America/Sao_Paulo", "Pacific/Apia", "Asia/Kolkata"}) {
        const TimeZone tz = TimeZone::find(zone).value();
        for (const char* text : {"30s", "hour", "30h", "day", "3d", "week", "2w", "month", "5mo"}) {
            SCOPED_TRACE(std::string(zone) + " " + text);
            const BudgetPeriod period = parse_period(text).value();
            for (int i = 0; i < 50; ++i) {
                const WallTime time{rng.between(0, 2'000'000'000) * 1'000'000'000};
                const BudgetWindow here = window_of(period, tz, time);
                ASSERT_TRUE(here.contains(time)) << show(time);
                ASSERT_EQ(window_of(period, tz, here.begin), here);
                ASSERT_EQ(window_of(period, tz, {here.end.ns - 1}), here);
                ASSERT_EQ(window_of(period, tz, here.end).begin, here.end);
            }
        }
    }
}

TEST(TimeZone, names_a_zone_that_is_not_there) {
    for (const char* name : {"Europe/Atlantis", "", "../etc/passwd"}) {
        const Result<TimeZone> zone = TimeZone::find(name);
        ASSERT_FALSE(zone.ok());
        EXPECT_NE(zone.error().message.find(std::string("'") + name + "'"), std::string::npos);
    }
    EXPECT_EQ(TimeZone::find("Europe/Madrid").value().name(), "Europe/Madrid");
    EXPECT_EQ(TimeZone().name(), "UTC");
}

}  // namespace
}  // namespace brigada
