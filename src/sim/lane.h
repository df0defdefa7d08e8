// Lane: a way that bytes take one after the other: a bus, a disk, a network link.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace brigada {

class Lane {
  public:
    explicit Lane(double bytes_per_s = 1, Duration latency = {})
        : bytes_per_s_(bytes_per_s), latency_(latency) {}

    /// When so many bytes would be there that set out at `now`, behind what is on its way.
    Instant arrival(uint64_t bytes, Instant now) const {
        return std::max(now, free_at_) + latency_ + time_of(bytes);
    }

    /// They set out.
    Instant send(uint64_t bytes, Instant now) {
        const Instant there = arrival(bytes, now);
        occupy_until(there - latency_);
        return there;
    }

    Instant free_at() const { return free_at_; }
    void occupy_until(Instant at) { free_at_ = std::max(free_at_, at); }
    Duration latency() const { return latency_; }
    Duration time_of(uint64_t bytes) const {
        return Duration::from_seconds(static_cast<double>(bytes) / bytes_per_s_);
    }

  private:
    double bytes_per_s_;
    Duration latency_;
    Instant free_at_;
};

}  // namespace brigada
