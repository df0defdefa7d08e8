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
        if (reading.share > 0)
            share += reading.share * waits_longer(times, seconds - reading.read_s);
    return share;
}

/// The least value that at most 1 - share exceed.
template <typename Exceeds>
double quantile(double share, double high, const Exceeds& exceeds) {
    double low = 0;
    while (exceeds(high) > 1 - share && high < 1e9)
        high *= 2;
    while (high - low > 1e-5 * high) {
        const double value = std::midpoint(low, high);
        (exceeds(value) > 1 - share ? low : high) = value;
    }
    return high;
}

struct Spread {
    double mean = 0, variance = 0;
};

/// Of the time until a call's first token. An exponential tail with the probability `busy` has the
/// mean square 2 mean^2 / busy.
Spread first_token(const CallTimes& times) {
    double read = 0, read_square = 0;
    for (const PromptReading& reading : times.readings) {
        read += reading.share * reading.read_s;
        read_square += reading.share * reading.read_s * reading.read_s;
    }
    const double wait = times.wait_s;
    const double wait_square = times.read_busy > 0 ? 2 * wait * wait / times.read_busy : 0;
    return {read + wait, (read_square - read * read) + (wait_square - wait * wait)};
}

/// How likely something lognormal is to be above `value`.
double exceeds(const Spread& spread, double value) {
    if (value <= 0) return 1;
    const double square = spread.mean * spread.mean;
    if (spread.variance <= 1e-12 * square) return spread.mean > value ? 1 : 0;
    const double sigma = std::sqrt(std::log1p(spread.variance / square));
    const double mu = std::log(spread.mean) - sigma * sigma / 2;
    return std::erfc((std::log(value) - mu) / (sigma * std::numbers::sqrt2)) / 2;
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

double turn_quantile(const CallTimes& times, const std::vector<Turn>& turns, double share) {
    const Spread first = first_token(times);
    const auto longer = [&](const Turn& turn, double seconds) {
        const double known = turn.tools_s + std::max(0.0, turn.outputs - turn.calls) * times.tpot_s;
        return exceeds({turn.calls * first.mean, turn.calls * first.variance}, seconds - known);
    };
    return quantile(share, 1, [&](double seconds) {
        double exceed = 0;
        for (const Turn& turn : turns)
            exceed += longer(turn, seconds) / static_cast<double>(turns.size());
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
