// debug_state: the front door's insides as text for people: what runs, what waits, how upstreams
// do, and what the books hold.
#pragma once

#include <string>

#include "gateway/gateway.h"

namespace brigada {

/// GET /debug/state. Names upstreams and counts; no keys, no prompts.
std::string debug_state(Gateway& gateway);

}  // namespace brigada
