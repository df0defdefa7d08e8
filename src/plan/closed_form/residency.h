// Residency: how long idle KV stays. A cache that drops what was used longest ago holds everything
// younger than some age; the room decides which age (Che's approximation), the ages of people's
// gaps decide what is found.
#pragma once

#include "plan/workload.h"

namespace brigada {

struct CacheLoad {
    const Workload& workload;
    double sessions = 0;        // that live on this cache
    double session_tokens = 0;  // KV of one, what all share included
    double answer_s = 0;        // of a call, waiting included
    double held_s = 0;          // of that, while its KV is held
    double gap_scale = 1;       // gaps are so many times those of the workload
    double visits_every = 1;    // one call in so many of a session comes here (no affinity)
};

/// Tokens held by a cache that drops what was idle for longer than `age_s`: of sessions that go on,
/// and of sessions that ended. What all share it holds once.
double resident_tokens(const CacheLoad& load, double age_s);

/// The age at which the room is full; kOldestAge where everything fits.
double eviction_age(const CacheLoad& load, double room_tokens);

/// The share of calls whose session was here within `age_s`.
double found_within(const CacheLoad& load, double age_s);

inline constexpr double kOldestAge = 86'400;

}  // namespace brigada
