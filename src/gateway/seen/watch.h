// watch_over: looks once a second at what changes without a call: breakers, the ledger, and policy
// refusals that the audit log is to have.
#pragma once

#include "gateway/gateway.h"

namespace brigada {

/// Runs until the loop stops, which must be before the gateway goes.
Task<void> watch_over(Gateway& gateway);

}  // namespace brigada
