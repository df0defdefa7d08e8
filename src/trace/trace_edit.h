// Changes to a whole trace, made before it is played.
#pragma once

#include "base/time.h"
#include "trace/trace.h"

namespace brigada {

/// The first `sessions` of people, with their sub-agents.
void keep_first_sessions(Trace& trace, uint32_t sessions);

/// Longer gaps are absences: nobody is waiting.
void cut_gaps(Trace& trace, Duration longest);

/// Sessions of people begin at random within `over`, for traces that say of no session when.
void spread_starts(Trace& trace, Duration over, uint64_t seed);

}  // namespace brigada
