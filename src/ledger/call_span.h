// CallSpan: a stretch of time that calls ended in, and how it is cut at full hours, of which stores
// keep sums.
#pragma once

#include <cstdint>
#include <limits>

#include "base/wall_time.h"

namespace brigada {

/// Calls that ended in [from, to).
struct CallSpan {
    WallTime from = {std::numeric_limits<int64_t>::min()};
    WallTime to = {std::numeric_limits<int64_t>::max()};
};

/// The whole hours within a span, and the calls before and after them.
struct SpanPieces {
    int64_t first_hour = 0, end_hour = 0;  // [first, end)
    CallSpan before = {}, after = {};
};

/// Before `first_kept_hour` there are sums only: an hour that the span cuts there counts whole.
SpanPieces cut_to_hours(CallSpan span,
                        int64_t first_kept_hour = std::numeric_limits<int64_t>::min());

}  // namespace brigada
