// The --pool options of brigada simulate: replicas that serve some models of the trace only.
#pragma once

#include "base/result.h"
#include "cli/simulate_words.h"

namespace brigada {

/// Adds a kind of replica for each --pool to `setup`, whose first kind then serves what they leave.
/// A pool has the options of the command but for those that it gives itself. Errors name the pool,
/// the option and what works.
Result<void> add_pools(const SimulateWords& words, const Trace& trace, SimSetup& setup);

}  // namespace brigada
