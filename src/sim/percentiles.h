// Percentiles of one quantity: exact, from all its values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"

namespace brigada {

/// Between two values by linear interpolation, as NumPy does it.
struct Percentiles {
    uint64_t count = 0;
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
    bool operator==(const Percentiles&) const = default;
};

/// Zeros when there are no values.
Percentiles percentiles_of(std::vector<double> values);

Json to_json(const Percentiles& percentiles);

}  // namespace brigada
