#include "plan/closed_form/percentiles.h"

#include <array>
#include <cmath>
#include <numbers>
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

double call_square(const CallTimes& times) {
    double read = 0, read_square = 0, decode = 0, decode_square = 0;
    for (const PromptReading& reading : times.readings) {
        read += reading.share * reading.read_s;
        read_square += reading.share * reading.read_s * reading.read_s;
    }
    for (const double tokens : lengths(times)) {
        const double seconds = (tokens - 1) * times.tpot_s;
        decode += seconds / kLengths;
        decode_square += seconds * seconds / kLengths;
    }
    const double wait = times.wait_s;
    const double wait_square = times.read_busy > 0 ? 2 * wait * wait / times.read_busy : 0;
    return read_square + decode_square + wait_square +
           2 * (read * decode + read * wait + decode * wait);
}

double turn_quantile(const TurnTimes& times, double share) {
    const double call_variance = times.call_square - times.call_s * times.call_s;
    const double gap_variance = times.gap_square - times.gap_s * times.gap_s;
    const auto longer = [&](double calls, double seconds) {
        const double mean = calls * times.call_s + (calls - 1) * times.gap_s;
        const double variance = calls * call_variance + (calls - 1) * gap_variance;
        if (seconds <= 0) return 1.0;
        if (variance <= 1e-12 * mean * mean) return mean > seconds ? 1.0 : 0.0;
        const double sigma = std::sqrt(std::log1p(variance / (mean * mean)));
        const double mu = std::log(mean) - sigma * sigma / 2;
        return std::erfc((std::log(seconds) - mu) / (sigma * std::numbers::sqrt2)) / 2;
    };
    return quantile(share, times.call_s, [&](double seconds) {
        double exceed = 0;
        for (int i = 0; i < kLengths; ++i) {
            const double calls = std::round(value_at(times.calls, (i + 0.5) / kLengths));
            exceed += longer(std::max(1.0, calls), seconds) / kLengths;
        }
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
