#include "jinja/strftime.h"

#include <chrono>
#include <ctime>

#include "base/concat.h"

namespace brigada::jinja {

namespace {

constexpr std::string_view kConversions = "aAbBcCdDeFgGhHIjklmMnpPrRStTuUVwWxXyY%";

/// Broken-down UTC time of `seconds` since 1970.
std::tm calendar(int64_t seconds) {
    using namespace std::chrono;
    const sys_seconds moment{std::chrono::seconds(seconds)};
    const sys_days day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss clock(moment - day);
    std::tm out{};
    out.tm_year = int(date.year()) - 1900;
    out.tm_mon = int(unsigned(date.month())) - 1;
    out.tm_mday = int(unsigned(date.day()));
    out.tm_hour = int(clock.hours().count());
    out.tm_min = int(clock.minutes().count());
    out.tm_sec = int(clock.seconds().count());
    out.tm_wday = int(weekday(day).c_encoding());
    out.tm_yday = int((day - sys_days(date.year() / January / 1)).count());
    return out;
}

}  // namespace

Result<std::string> format_time(std::string_view format, Now now) {
    constexpr int64_t kFirst = -62'135'596'800;  // 0001-01-01
    constexpr int64_t kLast = 253'402'300'799;   // 9999-12-31 23:59:59
    int64_t local = 0;
    if (__builtin_add_overflow(now.unix_seconds, int64_t{now.utc_offset_seconds}, &local) ||
        local < kFirst || local > kLast)
        return template_error(
            concat("the year of ", now.unix_seconds, " seconds is not 1 to 9999"));
    const std::tm time = calendar(local);
    std::string out;
    for (size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        const bool unpadded = format.substr(i + 1).starts_with('-');
        i += unpadded ? 2 : 1;
        const char conversion = i < format.size() ? format[i] : 0;
        if (conversion == 'f') out += "000000";
        if (conversion == 'f' || conversion == 'z' || conversion == 'Z') continue;
        if (conversion == 0 || !kConversions.contains(conversion))
            return template_error(concat("strftime_now() does not know '%",
                                         std::string(conversion != 0, conversion), "'"));
        const char one[] = {'%', unpadded ? '-' : conversion, unpadded ? conversion : '\0', '\0'};
        char text[64];
        out.append(text, std::strftime(text, sizeof text, one, &time));
    }
    return out;
}

}  // namespace brigada::jinja
