#include "admit/time_zone.h"

#include <chrono>
#include <exception>

#include "base/concat.h"

namespace brigada {
namespace {

date::sys_time<std::chrono::nanoseconds> sys_of(WallTime time) {
    return date::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(time.ns));
}

}  // namespace

Result<TimeZone> TimeZone::find(std::string_view name) {
    if (name == "UTC") return TimeZone();
    try {
        const date::time_zone* zone = date::locate_zone(name);
        zone->get_info(
            date::sys_seconds());  // reads the zone's file now, and fails now if it is bad
        return TimeZone(zone);
    } catch (const std::exception&) {
        return Error{Code::invalid_argument,
                     concat("time zone '", name, "' is not in this system's database; a name such ",
                            "as Europe/Madrid, or UTC, works")};
    }
}

date::local_days TimeZone::day_of(WallTime time) const {
    const auto sys = sys_of(time);
    if (zone_ == nullptr) return date::local_days(date::floor<date::days>(sys).time_since_epoch());
    return date::floor<date::days>(zone_->to_local(sys));
}

WallTime TimeZone::begin_of(date::local_days day) const {
    if (zone_ == nullptr) return {std::chrono::nanoseconds(day.time_since_epoch()).count()};
    const auto sys = zone_->to_sys(day, date::choose::earliest);
    return {std::chrono::nanoseconds(sys.time_since_epoch()).count()};
}

}  // namespace brigada
