// A plan as people read it on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/fleet.h"
#include "plan/report.h"

namespace brigada {

/// `everything`: all candidates instead of the best few.
std::string plan_text(const PlanReport& report, bool everything, size_t width);

/// Fleets side by side: what each carries and costs.
std::string fleets_text(const std::vector<CarriedFleet>& fleets, size_t width);

}  // namespace brigada
