// What must hold in a trace and a setup before they can be simulated.
#pragma once

#include "base/result.h"
#include "sim/simulate.h"

namespace brigada {

/// Error::invalid_argument names the session, the call and what is wrong with it.
Result<void> check_trace(const Trace& trace);

/// Error::invalid_argument names the setting, its value and what works.
Result<void> check_setup(const Trace& trace, const SimSetup& setup);

}  // namespace brigada
