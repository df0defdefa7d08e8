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

/// What a call reads that doesn't repeat the one before, even with an endless cache: first calls,
/// compactions, branches. Less what all sessions share.
double fresh_tokens(const Workload& workload);

/// The share of such calls: what the measured reuse leaves when each other call reads only its new
/// tokens.
double fresh_share(const Workload& workload);

/// A mean prompt of the other calls.
double repeating_tokens(const Workload& workload);

/// Calls by what is found, when they are answered after `answer_s` and hold their KV for `held_s`.
Readings readings_of(const Situation& situation, double answer_s, double held_s,
                     FleetFigures& figures);

}  // namespace brigada
