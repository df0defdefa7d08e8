#include "load/log_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace brigada {

namespace {

constexpr int kBits = 7;
constexpr uint64_t kSteps = uint64_t{1} << kBits;

/// Exact below 2 * kSteps; above, the leading bit and the kBits behind it.
size_t bucket_of(uint64_t ns) {
    if (ns < 2 * kSteps) return ns;
    const int shift = std::bit_width(ns) - 1 - kBits;
    return static_cast<size_t>((static_cast<uint64_t>(shift) + 1) * kSteps + (ns >> shift) -
                               kSteps);
}

uint64_t middle_of(size_t bucket) {
    if (bucket < 2 * kSteps) return bucket;
    const auto shift = bucket / kSteps - 1;
    const uint64_t low = (bucket % kSteps + kSteps) << shift;
    return low + (uint64_t{1} << shift) / 2;
}

}  // namespace

void LogHistogram::add(Duration value, uint64_t times) {
    if (times == 0) return;
    const uint64_t ns = value.ns() < 0 ? 0 : static_cast<uint64_t>(value.ns());
    const size_t bucket = bucket_of(ns);
    if (buckets_.size() <= bucket) buckets_.resize(bucket + 1);
    buckets_[bucket] += times;
    count_ += times;
    sum_ns_ += static_cast<double>(ns) * static_cast<double>(times);
    max_ = std::max(max_, Duration::nanoseconds(static_cast<int64_t>(ns)));
}

Duration LogHistogram::mean() const {
    if (count_ == 0) return {};
    return Duration::nanoseconds(std::llround(sum_ns_ / static_cast<double>(count_)));
}

Duration LogHistogram::percentile(double share) const {
    const auto rank = std::max<uint64_t>(
        1, static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_))));
    uint64_t seen = 0;
    for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen >= rank)
            return std::min(Duration::nanoseconds(static_cast<int64_t>(middle_of(bucket))), max_);
    }
    return {};
}

}  // namespace brigada
