#include "plan/closed_form/percentiles.h"

#include <array>
#include <cmath>
#include <numeric>

namespace brigada {

namespace {

/// Lengths of answers in the middle of forty classes of equal share.
constexpr int kLengths = 40;

std::array<double, kLengths> lengths(const CallTimes& times) {
    std::array<double, kLengths> out{};
    for (int i = 0; i < kLengths; ++i)
        out[i] = std::max(1.0, value_at(times.outputs, (i + 0.5) / kLengths));
    return out;
}

double waits_longer(const CallTimes& times, double seconds) {
    if (seconds < 0) return 1;
    if (times.wait_s <= 0 || times.read_busy <= 0) return 0;
    return times.read_busy * std::exp(-seconds * times.read_busy / times.wait_s);
}

double longer_than(const CallTimes& times, double seconds) {
    double share = 0;
    for (const PromptReading& reading : times.readings)
        share += reading.share * waits_longer(times, seconds - reading.read_s);
    return share;
}

/// The least value that at most 1 - share exceed.
template <typename Exceeds>
double quantile(double share, double high, const Exceeds& exceeds) {
    double low = 0;
    while (exceeds(high) > 1 - share && high < 1e9)
        high *= 2;
    for (int i = 0; i < 50; ++i) {
        const double value = std::midpoint(low, high);
        (exceeds(value) > 1 - share ? low : high) = value;
    }
    return high;
}

}  // namespace

double ttft_quantile(const CallTimes& times, double share) {
    return quantile(share, 1, [&](double seconds) { return longer_than(times, seconds); });
}

double call_quantile(const CallTimes& times, double share) {
    const auto outputs = lengths(times);
    return quantile(share, 1, [&](double seconds) {
        double exceed = 0;
        for (const double tokens : outputs)
            exceed += longer_than(times, seconds - (tokens - 1) * times.tpot_s) / kLengths;
        return exceed;
    });
}

double per_token_quantile(const CallTimes& times, double share) {
    const auto outputs = lengths(times);
    return quantile(share, 0.1, [&](double seconds) {
        double exceed = 0;
        for (const double tokens : outputs)
            exceed += longer_than(times, seconds * tokens - (tokens - 1) * times.tpot_s) / kLengths;
        return exceed;
    });
}

}  // namespace brigada
