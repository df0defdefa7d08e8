#include "model/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/concat.h"

namespace brigada {

namespace {

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

/// theta^(-2i / dims) for each pair i, in double: rounded once, at the end.
std::vector<double> unscaled(double theta, uint32_t dims) {
    std::vector<double> out(dims / 2);
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = std::pow(theta, -2.0 * static_cast<double>(i) / dims);
    return out;
}

std::vector<double> divided(std::vector<double> frequencies, double factor) {
    for (double& f : frequencies)
        f /= factor;
    return frequencies;
}

std::vector<double> divided(std::vector<double> frequencies, const std::vector<float>& factors) {
    CHECK(factors.size() == frequencies.size(), factors.size(), " factors for ",
          frequencies.size());
    for (size_t i = 0; i < frequencies.size(); ++i)
        frequencies[i] /= factors[i];
    return frequencies;
}

/// The base that keeps the lowest frequency's turn over `context` what it was over the original.
double dynamic_theta(const RopeDynamic& s, double theta, uint32_t dims, uint64_t context) {
    const auto original = static_cast<double>(s.original_context);
    const double length = std::max(static_cast<double>(context), original);
    const double stretch = s.factor * length / original - (s.factor - 1);
    return theta * std::pow(stretch, static_cast<double>(dims) / (dims - 2));
}

double llama3_frequency(const RopeLlama3& s, double frequency) {
    const double turns =
        static_cast<double>(s.original_context) * frequency / (2 * std::numbers::pi);
    if (turns > s.high_freq_factor) return frequency;
    if (turns < s.low_freq_factor) return frequency / s.factor;
    const double keep = (turns - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
    return (1 - keep) * frequency / s.factor + keep * frequency;
}

/// The (fractional) pair that turns `rotations` times over the original context.
double yarn_pair(double rotations, double context, double theta, uint32_t dims) {
    return dims * std::log(context / (rotations * 2 * std::numbers::pi)) / (2 * std::log(theta));
}

std::vector<double> yarn(const RopeYarn& s, double theta, uint32_t dims) {
    const auto context = static_cast<double>(s.original_context);
    double low = yarn_pair(s.beta_fast, context, theta, dims);
    double high = yarn_pair(s.beta_slow, context, theta, dims);
    if (s.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, static_cast<double>(dims - 1));
    if (low == high) high += 0.001;
    std::vector<double> out = unscaled(theta, dims);
    for (size_t i = 0; i < out.size(); ++i) {
        const double scaled = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
        out[i] = out[i] / s.factor * scaled + out[i] * (1 - scaled);
    }
    return out;
}

double yarn_mscale(double factor, double mscale) {
    return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

double yarn_attention_factor(const RopeYarn& s) {
    if (s.attention_factor) return *s.attention_factor;
    if (s.mscale.value_or(0) != 0 && s.mscale_all_dim.value_or(0) != 0)
        return yarn_mscale(s.factor, *s.mscale) / yarn_mscale(s.factor, *s.mscale_all_dim);
    return yarn_mscale(s.factor, 1);
}

double long_attention_factor(const RopeLong& s) {
    if (s.attention_factor) return *s.attention_factor;
    if (s.factor <= 1) return 1;
    return std::sqrt(1 + std::log(s.factor) / std::log(static_cast<double>(s.original_context)));
}

std::vector<double> frequencies(const Rope& rope, uint64_t context) {
    const double theta = rope.theta;
    const uint32_t dims = rope.dims;
    return std::visit(
        Overloaded{
            [&](const RopeUnscaled&) { return unscaled(theta, dims); },
            [&](const RopeLinear& s) { return divided(unscaled(theta, dims), s.factor); },
            [&](const RopeDynamic& s) {
                return unscaled(dynamic_theta(s, theta, dims, context), dims);
            },
            [&](const RopeLlama3& s) {
                std::vector<double> out = unscaled(theta, dims);
                for (double& f : out)
                    f = llama3_frequency(s, f);
                return out;
            },
            [&](const RopeYarn& s) { return yarn(s, theta, dims); },
            [&](const RopeLong& s) {
                const bool beyond = context > s.original_context;
                return divided(unscaled(theta, dims), beyond ? s.long_factors : s.short_factors);
            },
            [&](const RopeFactors& s) { return divided(unscaled(theta, dims), s.factors); },
        },
        rope.scaling);
}

}  // namespace

std::vector<float> rope_inverse_frequencies(const Rope& rope, uint64_t context) {
    CHECK(rope.dims >= 2 && rope.dims % 2 == 0, "dims=", rope.dims);
    const std::vector<double> exact = frequencies(rope, context);
    return {exact.begin(), exact.end()};
}

float rope_attention_factor(const Rope& rope, uint64_t /*context*/) {
    if (const auto* s = std::get_if<RopeYarn>(&rope.scaling))
        return static_cast<float>(yarn_attention_factor(*s));
    if (const auto* s = std::get_if<RopeLong>(&rope.scaling))
        return static_cast<float>(long_attention_factor(*s));
    return 1;
}

std::string to_string(const RopeScaling& scaling) {
    return std::visit(Overloaded{
                          [](const RopeUnscaled&) { return std::string("none"); },
                          [](const RopeLinear& s) { return concat("linear x", s.factor); },
                          [](const RopeDynamic& s) {
                              return concat("dynamic x", s.factor, " from ", s.original_context);
                          },
                          [](const RopeLlama3& s) {
                              return concat("llama3 x", s.factor, " from ", s.original_context);
                          },
                          [](const RopeYarn& s) {
                              return concat("yarn x", s.factor, " from ", s.original_context);
                          },
                          [](const RopeLong& s) {
                              return concat("longrope x", s.factor, " from ", s.original_context);
                          },
                          [](const RopeFactors&) { return std::string("factors in the file"); },
                      },
                      scaling);
}

}  // namespace brigada
