#include "sim/percentiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace brigada {

namespace {

double at(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Percentiles percentiles_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {.count = values.size(),
            .mean = sum / static_cast<double>(values.size()),
            .p50 = at(values, 0.50),
            .p90 = at(values, 0.90),
            .p95 = at(values, 0.95),
            .p99 = at(values, 0.99),
            .max = values.back()};
}

Json to_json(const Percentiles& percentiles) {
    return {{"count", percentiles.count}, {"mean", percentiles.mean}, {"p50", percentiles.p50},
            {"p90", percentiles.p90},     {"p95", percentiles.p95},   {"p99", percentiles.p99},
            {"max", percentiles.max}};
}

}  // namespace brigada
