// StepTimes: steps that an engine really made, each with its shape and how long it took, and the
// coefficients of StepCost that explain them best.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "cost/step_cost.h"

namespace brigada {

struct TimedStep {
    StepShape shape;
    Duration took;
};

/// Steps of one shape, give or take, as one: the median, since an engine's neighbours disturb it.
struct StepGroup {
    std::string name;  // "8 decodes at 1,024"
    StepShape shape;
    double seconds = 0;
    size_t steps = 0;
};

/// In order of first appearance. Shapes of a group have as many decodes and chunks, and tokens and
/// contexts within an eighth.
std::vector<StepGroup> group_steps(std::span<const TimedStep> steps);

/// Of a dense model: no experts, no collectives. At least a handful of different shapes, or what
/// they do not tell apart is split as it happens.
StepCoefficients fit_steps(std::span<const StepGroup> groups);

/// Predicted over measured, less one, of each group.
std::vector<double> step_errors(std::span<const StepGroup> groups, const StepCost& cost);

}  // namespace brigada
