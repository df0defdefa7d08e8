// solve(): the answer time at which what people ask and what the fleet answers agree. People are a
// closed loop: who waits longer for an answer asks less often, so there is always exactly one.
#pragma once

#include "plan/closed_form/situation.h"

namespace brigada {

/// Never fails: a fleet that is too small has long times and is `saturated`.
FleetFigures solve(const Situation& situation);

/// Tokens of KV that a replica has, and those a session takes there: its context, and what windows
/// and states take in blocks.
double kv_room_tokens(const Situation& situation);
double session_kv_tokens(const Situation& situation);

/// Calls that bring a session's prefix anew even with an endless cache (first calls, compaction,
/// branches): what the measured reuse leaves when each other call reads only its new tokens.
double fresh_share(const Workload& workload);

/// When a call is answered after `answer_s` and holds its KV for `held_s`: the shares of calls by
/// what is found: in memory, in a tier, nothing.
std::vector<PromptReading> readings_of(const Situation& situation, double answer_s, double held_s,
                                       FleetFigures& figures);

}  // namespace brigada
