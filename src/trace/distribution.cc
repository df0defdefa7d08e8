#include "trace/distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/concat.h"

namespace brigada {

namespace {

double between(double low, double high, double share) {
    return low + (high - low) * share;
}

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return between(sorted[below], sorted[above], at - static_cast<double>(below));
}

/// Where the standard normal distribution has `share` below: by halving, to a billionth.
double normal_quantile(double share) {
    double low = -9, high = 9;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (std::erfc(-middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
    }
    return low;
}

/// Of a lognormal distribution, the ends of the grid: they would be 0 and without end.
constexpr double kLowest = 0.0005, kHighest = 0.9995;

Result<Distribution> read_lognormal(const Json& json, std::string_view name) {
    const auto number = [&](const char* field) {
        const auto found = json.find(field);
        return found != json.end() && found->is_number() ? found->get<double>() : 0.0;
    };
    const double median = number("median"), p90 = number("p90");
    if (!(median > 0 && p90 >= median && p90 < 1e12))
        return Error{Code::invalid_argument,
                     concat(name, ": a median above 0, and a p90 at least as high, are needed")};
    return lognormal(median, p90);
}

/// Three digits after the point say enough, and make files small.
double rounded(double value) {
    return std::round(value * 1000) / 1000;
}

}  // namespace

double Distribution::at(double share) const {
    const double percent = share * 100;
    const auto above = std::ranges::upper_bound(kGridPercentiles, percent);
    if (above == kGridPercentiles.end()) return quantiles.back();
    const auto i = static_cast<size_t>(above - kGridPercentiles.begin());
    return between(
        quantiles[i - 1], quantiles[i],
        (percent - kGridPercentiles[i - 1]) / (kGridPercentiles[i] - kGridPercentiles[i - 1]));
}

double Distribution::share_up_to(double value) const {
    const auto above = std::ranges::upper_bound(quantiles, value);
    if (above == quantiles.begin()) return 0;
    if (above == quantiles.end()) return 1;
    const auto i = static_cast<size_t>(above - quantiles.begin());
    return between(kGridPercentiles[i - 1], kGridPercentiles[i],
                   (value - quantiles[i - 1]) / (quantiles[i] - quantiles[i - 1])) /
           100;
}

Distribution distribution_of(std::vector<double> values) {
    Distribution out{.count = values.size()};
    if (values.empty()) return out;
    std::ranges::sort(values);
    out.mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    for (size_t i = 0; i < kGridPercentiles.size(); ++i)
        out.quantiles[i] = quantile(values, kGridPercentiles[i] / 100);
    return out;
}

Distribution always(double value) {
    return distribution_of({value});
}

Distribution lognormal(double median, double p90) {
    const double sigma = std::log(p90 / median) / normal_quantile(0.9);
    Distribution out{.count = 1};
    out.mean = median * std::exp(sigma * sigma / 2);
    for (size_t i = 0; i < kGridPercentiles.size(); ++i) {
        const double share = std::clamp(kGridPercentiles[i] / 100, kLowest, kHighest);
        out.quantiles[i] = median * std::exp(sigma * normal_quantile(share));
    }
    return out;
}

Distribution cut(Distribution distribution, double most) {
    if (distribution.empty() || distribution.quantiles.back() <= most) return distribution;
    for (double& value : distribution.quantiles)
        value = std::min(value, most);
    distribution.mean = 0;
    for (size_t i = 1; i < kGridPercentiles.size(); ++i)
        distribution.mean += (kGridPercentiles[i] - kGridPercentiles[i - 1]) / 100 *
                             (distribution.quantiles[i - 1] + distribution.quantiles[i]) / 2;
    return distribution;
}

Distribution scaled(Distribution distribution, double factor) {
    distribution.mean *= factor;
    for (double& value : distribution.quantiles)
        value *= factor;
    return distribution;
}

Json to_json(const Distribution& distribution) {
    Json quantiles = Json::array();
    for (const double value : distribution.quantiles)
        quantiles.push_back(rounded(value));
    return {{"n", distribution.count},
            {"mean", rounded(distribution.mean)},
            {"quantiles", std::move(quantiles)}};
}

Result<Distribution> read_distribution(const Json& json, std::string_view name) {
    const auto wrong = [&](std::string_view what) {
        return Error{Code::invalid_argument, concat(name, ": ", what)};
    };
    if (json.is_number()) return always(json.get<double>());
    if (json.is_object() && json.contains("median")) return read_lognormal(json, name);
    if (!json.is_object() || !json.contains("quantiles") || !json["quantiles"].is_array())
        return wrong("a number, {median, p90} or {quantiles} is needed");
    const Json& list = json["quantiles"];
    if (list.size() != kGridPercentiles.size())
        return wrong(concat(list.size(), " quantiles; ", kGridPercentiles.size(),
                            " are needed, at the percentiles 0, 1, 2, 5, 10, 15, ... 95, 97, 98, "
                            "99, 99.5, 99.9, 100"));
    Distribution out{.count = json.value("n", uint64_t{1})};
    double sum = 0;
    for (size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_number() || !std::isfinite(list[i].get<double>()))
            return wrong(
                concat("quantile ", i, " is ", dump_json(list[i]), "; a number is needed"));
        out.quantiles[i] = list[i].get<double>();
        if (i > 0 && out.quantiles[i] < out.quantiles[i - 1])
            return wrong(concat("quantile ", i, " is below the one before"));
        if (i > 0)
            sum += (out.quantiles[i] + out.quantiles[i - 1]) / 2 *
                   (kGridPercentiles[i] - kGridPercentiles[i - 1]) / 100;
    }
    out.mean = json.value("mean", sum);
    return out;
}

}  // namespace brigada
