#include "load/arrivals.h"

#include <cmath>

namespace brigada {

namespace {

/// In (0, 1]: its logarithm is finite.
double positive_uniform(Rng& rng) {
    return 1.0 - rng.uniform();
}

/// By the polar method of Marsaglia, 1962.
double normal(Rng& rng) {
    for (;;) {
        const double u = 2 * rng.uniform() - 1, v = 2 * rng.uniform() - 1;
        const double s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
    }
}

/// Mean `shape`, deviation sqrt(shape). Source: Marsaglia and Tsang, 2000; a shape below 1 comes
/// from one above it.
double gamma(Rng& rng, double shape) {
    if (shape < 1) return gamma(rng, shape + 1) * std::pow(positive_uniform(rng), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = normal(rng), cube = 1 + c * x;
        if (cube <= 0) continue;
        const double v = cube * cube * cube;
        if (std::log(positive_uniform(rng)) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v;
    }
}

}  // namespace

Arrivals::Arrivals(ArrivalRate rate, uint64_t seed) : rate_(rate), rng_(seed) {
    CHECK(rate.per_second > 0 && rate.cv >= 0);
}

Duration Arrivals::next_gap() {
    double share = 1;  // of the mean
    if (rate_.cv > 0) {
        const double shape = 1 / (rate_.cv * rate_.cv);
        share = gamma(rng_, shape) / shape;
    }
    return Duration::from_seconds(share / rate_.per_second);
}

}  // namespace brigada
