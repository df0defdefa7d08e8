// WallTime: what the calendar says, for records, expiry and calendar windows. It may jump;
// durations are measured with Instant.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

#include "base/time.h"

namespace brigada {

/// Nanoseconds since 1970-01-01T00:00:00 UTC.
struct WallTime {
    int64_t ns = 0;

    static constexpr WallTime seconds(int64_t n) { return {n * 1'000'000'000}; }

    friend constexpr auto operator<=>(WallTime, WallTime) = default;
    friend constexpr WallTime operator+(WallTime t, Duration d) { return {t.ns + d.ns()}; }
    friend constexpr WallTime operator-(WallTime t, Duration d) { return {t.ns - d.ns()}; }
    friend constexpr Duration operator-(WallTime a, WallTime b) {
        return Duration::nanoseconds(a.ns - b.ns);
    }
};

/// The machine's calendar clock, for shells.
class WallClock {
  public:
    WallTime now() const {
        return {std::chrono::duration_cast<std::chrono::nanoseconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count()};
    }
};

}  // namespace brigada
