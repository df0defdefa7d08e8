// The what-if grid: a plan with other numbers of people and replicas and with contexts of other
// lengths. By the closed form, or by simulations.
#pragma once

#include <vector>

#include "plan/candidate.h"

namespace brigada {

struct GridPoint {
    double people = 0;
    uint32_t replicas = 0;
    double context = 1;  // times the profile's
    FleetFigures figures = {};
};

std::vector<GridPoint> closed_form_grid(const PlanOption& option);

/// At fewer points. Each is simulated for so long that its people are at work for sixty hours
/// together, at least twenty minutes and at most a hundred, after the warm-up. In it a call adds
/// more, too, where contexts are longer. The same for any number of threads;
/// 0: one for each core.
Result<std::vector<GridPoint>> simulated_grid(const PlanRequest& request, const PlanOption& option,
                                              uint64_t seed, uint32_t threads = 0);

}  // namespace brigada
