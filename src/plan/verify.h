// Verification: the closed form beside a simulation of the same fleet with made-up people, and how
// many of them it carries when the simulation is asked.
#pragma once

#include <string>
#include <vector>

#include "plan/candidate.h"
#include "sim/simulate.h"

namespace brigada {

inline constexpr Duration kSimulatedWarmUp = Duration::seconds(20 * 60);  // while caches fill

struct SimulatedLoad {
    double people = 0;
    SimReport report = {};
    std::vector<MissedTarget> misses = {};  // the worst first
};

struct Verification {
    SimulatedLoad planned = {};             // as many people as were planned for
    double people = 0;                      // that meet the targets, to a tenth
    std::string first = {};                 // the target that more people miss; "": none was found
    std::vector<SimulatedLoad> tried = {};  // by rising people
};

/// The fleet of `option`, all replicas, as the simulator takes it.
SimSetup sim_setup_of(const PlanOption& option, uint64_t seed);

/// The people of whom the plan is made, at the peak, when tools are as quick as they.
Profile people_at_peak(const PlanRequest& request, const PlanOption& option);

/// What so many of these people ask for so long; sessions end as soon as the plan answers.
Result<Trace> calls_of(const Profile& profile, const PlanOption& option, double people,
                       Duration duration, uint64_t seed);

/// As the closed form has it, so that both are judged alike.
FleetFigures figures_of(const SimReport& report);

/// Simulates the plan and then other numbers of people, up to eight times as many, two hours of
/// each. They are those of the request's profile, at the peak.
Result<Verification> verify(const PlanRequest& request, const PlanOption& option, uint64_t seed);

Json to_json(const Verification& verification);

}  // namespace brigada
