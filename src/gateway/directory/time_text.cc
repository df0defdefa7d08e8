#include "gateway/directory/time_text.h"

#include <charconv>
#include <optional>

namespace brigada {

namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
constexpr int64_t kMaxSeconds = 3'200'000'000;  // about 100 years: keeps sums within 64 bits

/// Rounded towards the past, also before 1970.
int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

sys_days day_of(WallTime time) {
    return sys_days(days(floor_div(time.ns, kDay)));
}

struct DurationText {
    int64_t count = 0;
    std::string_view unit;
};

std::optional<DurationText> split(std::string_view text) {
    DurationText duration;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, duration.count);
    if (error != std::errc() || duration.count <= 0 || text.front() == '+') return std::nullopt;
    duration.unit = std::string_view(rest, static_cast<size_t>(end - rest));
    return duration;
}

int64_t seconds_of(std::string_view unit) {
    if (unit == "s") return 1;
    if (unit == "m") return 60;
    if (unit == "h") return 3'600;
    if (unit == "d") return 86'400;
    if (unit == "w") return 7 * 86'400;
    return unit == "mo" ? 31 * 86'400 : 0;  // of a month: an upper bound, for the check of size
}

WallTime add_months(WallTime start, int64_t count) {
    const sys_days day = day_of(start);
    year_month_day date(day);
    date += months(count);
    if (!date.ok()) date = date.year() / date.month() / std::chrono::last;
    return {start.ns + (sys_days(date) - day).count() * kDay};
}

/// Reads a fixed number of digits off the front.
bool take_digits(std::string_view& text, size_t digits, int& to) {
    if (text.size() < digits) return false;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + digits, to);
    if (error != std::errc() || rest != text.data() + digits || to < 0) return false;
    text.remove_prefix(digits);
    return true;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<sys_days> take_date(std::string_view& text) {
    int year = 0, month = 0, day = 0;
    if (!take_digits(text, 4, year) || !take(text, '-') || !take_digits(text, 2, month) ||
        !take(text, '-') || !take_digits(text, 2, day))
        return std::nullopt;
    const year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                              std::chrono::day(unsigned(day))};
    if (!date.ok() || year < 1970 || year > 2200) return std::nullopt;
    return sys_days(date);
}

std::optional<int64_t> take_clock(std::string_view& text) {
    int hour = 0, minute = 0, second = 0;
    if (!take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute))
        return std::nullopt;
    if (take(text, ':') && !take_digits(text, 2, second)) return std::nullopt;
    if (take(text, '.'))
        text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return hour * 3'600 + minute * 60 + second;
}

/// Seconds east of UTC.
std::optional<int64_t> take_offset(std::string_view& text) {
    if (text.empty() || take(text, 'Z')) return 0;
    const bool east = take(text, '+');
    if (!east && !take(text, '-')) return std::nullopt;
    int hour = 0, minute = 0;
    if (!take_digits(text, 2, hour)) return std::nullopt;
    take(text, ':');
    if (!take_digits(text, 2, minute) || hour > 23 || minute > 59) return std::nullopt;
    return (east ? 1 : -1) * (hour * 3'600 + minute * 60);
}

std::optional<WallTime> read_iso(std::string_view text) {
    const auto date = take_date(text);
    if (!date) return std::nullopt;
    int64_t seconds = date->time_since_epoch().count() * 86'400;
    if (text.empty()) return WallTime::seconds(seconds);
    if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
    const auto clock = take_clock(text);
    const auto offset = clock ? take_offset(text) : std::nullopt;
    if (!offset || !text.empty()) return std::nullopt;
    return WallTime::seconds(seconds + *clock - *offset);
}

}  // namespace

std::string iso_text(WallTime time) {
    const sys_days day = day_of(time);
    const year_month_day date(day);
    const int64_t second = floor_div(time.ns, kSecond) - day.time_since_epoch().count() * 86'400;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int(date.year()),
                       unsigned(date.month()), unsigned(date.day()), second / 3'600,
                       second / 60 % 60, second % 60);
}

Result<WallTime> parse_iso(std::string_view text) {
    if (const auto time = read_iso(text)) return *time;
    return Error{Code::invalid_argument,
                 concat("'", text.substr(0, 40),
                        "' is not a time; write a date or a time like 2026-03-01T12:30:00Z")};
}

bool is_duration(std::string_view text) {
    const auto duration = split(text);
    const int64_t unit = duration ? seconds_of(duration->unit) : 0;
    return unit > 0 && duration->count <= kMaxSeconds / unit;
}

Result<WallTime> after(WallTime start, std::string_view text) {
    if (!is_duration(text))
        return Error{Code::invalid_argument,
                     concat("'", text.substr(0, 40),
                            "' is not a duration; write a whole number and s, m, h, d, w or mo, "
                            "like 30d")};
    const DurationText duration = *split(text);
    if (duration.unit == "mo") return add_months(start, duration.count);
    return start + Duration::seconds(duration.count * seconds_of(duration.unit));
}

}  // namespace brigada
