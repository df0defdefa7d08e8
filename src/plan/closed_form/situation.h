// Situation: one fleet under one load, which is what the closed form looks at; and Figures, what it
// finds. Search, scenarios and the page's grid all ask about situations.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cost/engine_fit.h"
#include "cost/placement.h"
#include "cost/step_cost.h"
#include "plan/request.h"
#include "plan/workload.h"

namespace brigada {

struct Situation {
    Workload workload = {};
    double people = 1;       // at work at the same time
    double peak_factor = 1;  // they think so many times faster than the profile says
    Placement deployment = {};
    MemoryBudget memory = {};  // of the deployment
    EngineFit fit = {};        // what the engine reaches there
    StepCost cost = {};        // of the two
    uint32_t replicas = 1;
    KvTiers tiers = {};
    bool affinity = true;    // a session stays where its KV is
    double found_share = 1;  // of what the cache could find, what is found (mutated prefix: 0)
};

/// Reading one call's prompt, by where its prefix was found.
struct PromptReading {
    double share = 0;     // of calls
    double uncached = 0;  // tokens
    double prompt = 0;    // tokens
    double load_s = 0;    // from a tier
    double read_s = 0;    // until the first token, not waiting
};

/// All calls, of four kinds.
struct Readings {
    PromptReading found = {};    // their prefix is in memory
    PromptReading loaded = {};   // in a tier
    PromptReading evicted = {};  // nowhere any more
    PromptReading fresh = {};    // they have none: first calls, compactions, branches

    std::array<const PromptReading*, 4> all() const { return {&found, &loaded, &evicted, &fresh}; }
};

struct FleetFigures {
    // demand, of the fleet
    double think_s = 0;    // between an answer and the next call, at the peak
    double cycle_s = 0;    // think and answer
    double sequences = 0;  // that want answers at once if nobody waited: sessions at work
    double calls_per_s = 0;
    double running = 0;  // calls in flight (Little)

    // what is found, of one replica
    double session_tokens = 0;  // KV of one session, states as tokens
    double eviction_age_s = 0;  // idle KV older than this is gone
    double tier_age_s = 0;      // or older than this, from the tiers
    double kv_use = 0;          // of the room, by what runs
    double hit_rate = 0;        // of prompt tokens
    Readings readings = {};
    double uncached_per_call = 0;

    // speed, of one replica
    double read_busy = 0;  // share of the time in which prompts are read
    double wait_s = 0;     // mean, before reading
    double decode_batch = 0;
    double tpot_s = 0;
    double ttft_s = 0, ttft_p50_s = 0, ttft_p90_s = 0, ttft_p95_s = 0, ttft_p99_s = 0;
    double call_s = 0, call_p90_s = 0;
    double interactivity_p90 = 0;
    double task_p90_s = 0;

    bool saturated = false;  // people wait for the fleet rather than the fleet for people
};

}  // namespace brigada
