// emit(): a plan as files that can be run: engines' command lines, the gateway's configuration and
// the alarms that say when the plan does not suffice any more.
#pragma once

#include <string>
#include <vector>

#include "plan/candidate.h"

namespace brigada {

struct EmittedFile {
    std::string name = {};
    std::string text = {};
    bool is_program = false;
};

std::vector<EmittedFile> emit(const PlanRequest& request, const PlanOption& option);

/// One sign that hardware must be added, the same for planner, dashboard and alarms.
struct Alarm {
    std::string name = {};
    std::string what = {};  // for people
    std::string rule = {};  // PromQL
};

std::vector<Alarm> alarms_of(const Targets& targets);

}  // namespace brigada
