// What must hold in a setup before it can be simulated.
#pragma once

#include "base/result.h"
#include "sim/simulate.h"

namespace brigada {

/// Error::invalid_argument names the setting, its value and what works.
Result<void> check_setup(const Trace& trace, const SimSetup& setup);

}  // namespace brigada
