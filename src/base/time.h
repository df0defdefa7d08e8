// Instant and Duration: integer nanoseconds that do not mix with other numbers. Cores take an
// Instant as an argument; only shells own a Clock.
#pragma once

#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace brigada {

class Duration {
  public:
    constexpr Duration() = default;
    static constexpr Duration nanoseconds(int64_t n) { return Duration(n); }
    static constexpr Duration microseconds(int64_t n) { return Duration(n * 1'000); }
    static constexpr Duration milliseconds(int64_t n) { return Duration(n * 1'000'000); }
    static constexpr Duration seconds(int64_t n) { return Duration(n * 1'000'000'000); }
    /// Rounded to the nanosecond.
    static Duration from_seconds(double s) { return Duration(std::llround(s * 1e9)); }
    static constexpr Duration max() { return Duration(std::numeric_limits<int64_t>::max()); }

    constexpr int64_t ns() const { return ns_; }
    constexpr int64_t ms() const { return ns_ / 1'000'000; }
    constexpr double seconds() const { return static_cast<double>(ns_) * 1e-9; }
    constexpr std::chrono::nanoseconds chrono() const { return std::chrono::nanoseconds(ns_); }

    friend constexpr auto operator<=>(Duration, Duration) = default;
    friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.ns_ + b.ns_); }
    friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.ns_ - b.ns_); }
    friend constexpr Duration operator*(Duration a, int64_t k) { return Duration(a.ns_ * k); }
    friend constexpr Duration operator/(Duration a, int64_t k) { return Duration(a.ns_ / k); }

  private:
    explicit constexpr Duration(int64_t ns) : ns_(ns) {}
    int64_t ns_ = 0;
};

/// A point on a monotonic clock; the origin means nothing.
class Instant {
  public:
    constexpr Instant() = default;
    static constexpr Instant at_ns(int64_t ns) { return Instant(ns); }
    static constexpr Instant never() { return Instant(std::numeric_limits<int64_t>::max()); }

    constexpr int64_t ns() const { return ns_; }

    friend constexpr auto operator<=>(Instant, Instant) = default;
    friend constexpr Instant operator+(Instant t, Duration d) { return Instant(t.ns_ + d.ns()); }
    friend constexpr Instant operator-(Instant t, Duration d) { return Instant(t.ns_ - d.ns()); }
    friend constexpr Duration operator-(Instant a, Instant b) {
        return Duration::nanoseconds(a.ns_ - b.ns_);
    }

  private:
    explicit constexpr Instant(int64_t ns) : ns_(ns) {}
    int64_t ns_ = 0;
};

/// The machine's monotonic clock, for shells.
class Clock {
  public:
    Instant now() const {
        return Instant::at_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::steady_clock::now().time_since_epoch())
                                  .count());
    }
};

}  // namespace brigada
