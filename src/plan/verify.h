// Verification: the closed form beside a simulation of the same fleet with made-up people, and how
// many of them it carries when the simulation is asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/candidate.h"
#include "sim/simulate.h"
#include "trace/trace.h"

namespace brigada {

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

/// A trace of so many people at work.
using TraceOf = std::function<Result<Trace>(uint32_t people)>;

/// The fleet of `option`, all replicas, as the simulator takes it.
SimSetup sim_setup_of(const PlanOption& option, uint64_t seed);

/// Simulates the plan and then other numbers of people, up to eight times as many. At the peak
/// people's pauses are shorter by the peak factor.
Result<Verification> verify(const PlanRequest& request, const PlanOption& option,
                            const TraceOf& trace_of, uint64_t seed);

Json to_json(const Verification& verification);

}  // namespace brigada
