// LogHistogram: many durations in little memory: counts in buckets whose width is 1/128 of what
// they hold, so that a percentile is off by 0.4 % at most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace brigada {

class LogHistogram {
  public:
    /// Durations below 0 count as 0.
    void add(Duration value, uint64_t times = 1);

    uint64_t count() const { return count_; }
    Duration mean() const;  // 0 when empty, as all below
    Duration max() const { return max_; }
    /// The smallest bucket's middle that at least `share` of the values are in or below.
    Duration percentile(double share) const;

  private:
    std::vector<uint64_t> buckets_;
    uint64_t count_ = 0;
    double sum_ns_ = 0;
    Duration max_;
};

}  // namespace brigada
