// Scenarios: what happens to a plan when something goes wrong, or people do more than was thought.
#pragma once

#include <string>
#include <vector>

#include "plan/candidate.h"

namespace brigada {

struct Scenario {
    std::string name = {};
    std::string what = {};  // happens, for people
    FleetFigures figures = {};
    double prefill = 1;     // tokens to be read for each call, against the plan
    double recovery_s = 0;  // once, to read again what was lost
    std::vector<MissedTarget> misses = {};
    bool collapses() const { return figures.saturated; }
};

std::vector<Scenario> scenarios_of(const PlanRequest& request, const PlanOption& option);

/// How many people the plan carries until the first target is missed, and which.
struct Breaking {
    double people = 0;
    std::string first = {};
};

Breaking breaking_point(const PlanRequest& request, const PlanOption& option);

}  // namespace brigada
