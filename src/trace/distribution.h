// Distribution: a quantity of a trace as a grid of quantiles: what stats print, profiles hold and
// the generator draws from.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace brigada {

/// The grid's percentiles, finer at the ends.
inline constexpr std::array<double, 28> kGridPercentiles = {
    0,  1,  2,  5,  10, 15, 20, 25, 30, 35, 40, 45,   50,   55,
    60, 65, 70, 75, 80, 85, 90, 95, 97, 98, 99, 99.5, 99.9, 100};

struct Distribution {
    uint64_t count = 0;
    double mean = 0;
    std::array<double, kGridPercentiles.size()> quantiles{};
    bool operator==(const Distribution&) const = default;

    bool empty() const { return count == 0; }

    /// Between the values of the grid, linearly: share 0 to 1.
    double at(double share) const;
    /// What share of the values is at most `value`, by the same lines.
    double share_up_to(double value) const;
};

/// Quantiles between neighbours in order, linearly. Order of `values` doesn't matter.
Distribution distribution_of(std::vector<double> values);

/// The same value every time.
Distribution always(double value);

/// Lognormal, from two of its quantiles; p90 at least the median, both above 0.
Distribution lognormal(double median, double p90);

/// Values above `most` become `most`; the mean is that of the grid's lines.
Distribution cut(Distribution distribution, double most);

/// Every value times `factor`.
Distribution scaled(Distribution distribution, double factor);

/// {"n": ..., "mean": ..., "quantiles": [28 numbers]}
Json to_json(const Distribution& distribution);
/// That, with n and mean or without; or {"median": ..., "p90": ...}, lognormal; or one number.
/// Error::invalid_argument for anything else.
Result<Distribution> read_distribution(const Json& json, std::string_view name);

}  // namespace brigada
