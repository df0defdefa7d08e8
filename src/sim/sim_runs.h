// Many simulations: several setups beside each other, each with several seeds, on any number of
// threads. Which thread runs what changes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "sim/simulate.h"

namespace brigada {

struct SimRun {
    const Trace* trace = nullptr;
    SimSetup setup;
};

/// On so many threads; 0: one for each core. In the order of `runs`. The first error, in that
/// order, if there is one.
Result<std::vector<SimReport>> simulate_all(const std::vector<SimRun>& runs, uint32_t threads);

/// The sessions begin at other times: each drawn uniformly from [0, within), by its own chance.
Trace spread_starts(Trace trace, Duration within, uint64_t seed);

/// A mean of a few runs and what it may be off by, with 95 % confidence (Student's t); the half
/// width is 0 for a single run.
struct Interval {
    double mean = 0;
    double half_width = 0;
};
Interval interval_of(const std::vector<double>& values);

}  // namespace brigada
