// least_squares(): the parameters at which a model's residuals are smallest, by damped Gauss-Newton
// steps (Levenberg, Marquardt). For a handful of positive parameters and a model that takes a
// moment, such as a replay. No chance in it: the same inputs give the same answer.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace brigada {

/// A positive number to be found, from `start`, within [least, most].
struct FreeParameter {
    double start = 1;
    double least = 0;
    double most = 0;
};

using Residuals = std::function<std::vector<double>(std::span<const double> parameters)>;

struct LeastSquaresLimits {
    int steps = 12;            // at most
    double difference = 0.04;  // by which a parameter is moved to see its effect, relative
    double enough = 0.002;     // stop when a step improves the sum of squares by less, relative
    double prior = 0.03;  // weight of ln(parameter / start): what the data does not decide stays
};

/// An error as it is up to `knee`, and by its root beyond: its square grows linearly, so a few
/// wild ones do not decide (Huber's loss).
double tamed(double error, double knee);

/// Works on logarithms. Residuals must be as many each time. Costs steps x (parameters + 1) calls
/// or a few more.
std::vector<double> least_squares(const Residuals& residuals,
                                  const std::vector<FreeParameter>& parameters,
                                  const LeastSquaresLimits& limits = {});

}  // namespace brigada
