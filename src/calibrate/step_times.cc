#include "calibrate/step_times.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/check.h"
#include "base/concat.h"
#include "calibrate/least_squares.h"

namespace brigada {

namespace {

/// Equal for numbers within an eighth of each other, mostly: the exponent and three bits.
uint64_t rough(uint64_t number) {
    const auto width = static_cast<int>(std::bit_width(number));
    return width <= 4 ? number : (number >> (width - 4)) + 16 * static_cast<uint64_t>(width);
}

auto key_of(const StepShape& shape) {
    return std::tuple(shape.decodes, shape.chunks, rough(shape.chunk_tokens),
                      rough(shape.decode_context), rough(shape.chunk_pairs));
}

std::string name_of(const StepShape& shape) {
    std::string out;
    if (shape.decodes > 0)
        out = concat(shape.decodes, shape.decodes == 1 ? " decode" : " decodes", " at ",
                     shape.decode_context / shape.decodes);
    if (shape.chunks > 0)
        out += concat(out.empty() ? "" : ", ", shape.chunk_tokens, " prompt tokens up to ",
                      shape.chunk_context / shape.chunks);
    return out;
}

/// The middle of what differs within a group.
StepShape mean_shape(const std::vector<StepShape>& shapes) {
    StepShape mean = shapes.front();
    for (uint64_t StepShape::* const member :
         {&StepShape::decode_context, &StepShape::chunk_tokens, &StepShape::chunk_context,
          &StepShape::chunk_pairs}) {
        uint64_t sum = 0;
        for (const StepShape& shape : shapes)
            sum += shape.*member;
        mean.*member = (sum + shapes.size() / 2) / shapes.size();
    }
    return mean;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Member {
    std::string_view name;
    double StepCoefficients::* member;
    double least;  // seconds
    double most;
};

/// Attention of decodes is all in kv_per_token: what of it is products and what is reading nobody
/// can tell from its time.
constexpr Member kFree[] = {
    {"flop_per_token", &StepCoefficients::flop_per_token, 1e-9, 1},
    {"flop_per_sequence", &StepCoefficients::flop_per_sequence, 1e-9, 1},
    {"flop_per_pair", &StepCoefficients::flop_per_pair, 1e-13, 1e-3},
    {"weights_s", &StepCoefficients::weights_s, 1e-6, 100},
    {"kv_per_token", &StepCoefficients::kv_per_token, 1e-12, 1e-2},
    {"step_s", &StepCoefficients::step_s, 1e-6, 10},
    {"sequence_s", &StepCoefficients::sequence_s, 1e-8, 1},
};

StepCoefficients with(std::span<const double> values) {
    StepCoefficients c;
    for (size_t i = 0; i < std::size(kFree); ++i)
        c.*kFree[i].member = values[i];
    return c;
}

/// A first guess: `weights` of the quickest step reads weights, and `products` of the cheapest
/// token's time is products.
StepCoefficients guess(std::span<const StepGroup> groups, double weights, double products) {
    double quickest = 1e300, per_token = 1e300;
    for (const StepGroup& group : groups) {
        quickest = std::min(quickest, group.seconds);
        per_token = std::min(per_token, group.seconds / static_cast<double>(group.shape.tokens()));
    }
    StepCoefficients c;
    c.flop_per_token = per_token * products;
    c.flop_per_sequence = per_token * products / 4;
    c.flop_per_pair = per_token * 1e-4;
    c.weights_s = quickest * weights;
    c.kv_per_token = quickest * 1e-5;
    c.step_s = quickest * 0.1;
    c.sequence_s = quickest * 0.02;
    return c;
}

std::vector<FreeParameter> parameters_from(const StepCoefficients& start) {
    std::vector<FreeParameter> out;
    for (const Member& free : kFree)
        out.push_back(
            {std::clamp(start.*free.member, free.least, free.most), free.least, free.most});
    return out;
}

constexpr double kKnee = 0.08;  // of logarithms: steps disturbed by a neighbour are further off

constexpr LeastSquaresLimits kStepLimits = {
    .steps = 100, .difference = 0.01, .enough = 1e-5, .prior = 0.003};

double sum_of_squares(const std::vector<double>& values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

}  // namespace

std::vector<StepGroup> group_steps(std::span<const TimedStep> steps) {
    struct Members {
        std::vector<StepShape> shapes;
        std::vector<double> seconds;
    };
    std::map<decltype(key_of({})), size_t> index;
    std::vector<Members> all;
    for (const TimedStep& step : steps) {
        const auto [at, is_new] = index.try_emplace(key_of(step.shape), all.size());
        if (is_new) all.emplace_back();
        all[at->second].shapes.push_back(step.shape);
        all[at->second].seconds.push_back(step.took.seconds());
    }
    std::vector<StepGroup> groups;
    for (const Members& members : all) {
        const StepShape shape = mean_shape(members.shapes);
        groups.push_back({name_of(shape), shape, median(members.seconds), members.shapes.size()});
    }
    return groups;
}

StepCoefficients fit_steps(std::span<const StepGroup> groups) {
    CHECK(!groups.empty());
    const double longest = std::ranges::max(groups, {}, &StepGroup::seconds).seconds;
    const auto residuals = [&](std::span<const double> values) {
        const StepCost cost(with(values));
        std::vector<double> out;
        for (const StepGroup& group : groups) {
            const double error = std::log(cost.time(group.shape).seconds() / group.seconds);
            // One of a kind may have been disturbed; a median of many was not.
            // Long steps are what others wait for.
            const double certain = std::sqrt(std::min(1.0, static_cast<double>(group.steps) / 4));
            const double weight = certain * std::pow(group.seconds / longest, 0.25);
            out.push_back(weight * tamed(error, kKnee));
        }
        return out;
    };
    // Where compute overtakes the weights the model has a kink, and a search may stay on the wrong
    // side of it; so it starts on both.
    std::vector<double> best;
    for (const double weights : {0.2, 0.5, 0.8}) {
        for (const double products : {0.5, 0.9}) {
            const StepCoefficients start = guess(groups, weights, products);
            const auto found = least_squares(residuals, parameters_from(start), kStepLimits);
            if (best.empty() || sum_of_squares(residuals(found)) < sum_of_squares(residuals(best)))
                best = found;
        }
    }
    return with(best);
}

std::vector<double> step_errors(std::span<const StepGroup> groups, const StepCost& cost) {
    std::vector<double> out;
    for (const StepGroup& group : groups)
        out.push_back(cost.time(group.shape).seconds() / group.seconds - 1);
    return out;
}

}  // namespace brigada
