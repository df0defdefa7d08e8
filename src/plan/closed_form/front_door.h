// The front door's share of a plan: its load, CPU and replicas, queue caps, limits that several
// gateways count, connections to the database, and promises to tenants.
#pragma once

#include "plan/candidate.h"
#include "plan/page.h"

namespace brigada {

/// What somebody else's front door or ours costs a call, and how it is run.
struct FrontDoor {
    double cpu_s_per_call = 0;
    double at_once = 1;    // calls one worker counts tokens of at the same time
    uint32_t workers = 1;  // of one replica
    uint32_t replicas = 1;
    uint32_t pool = 10;         // database connections of a worker
    bool shares_limits = true;  // out of reach of Redis each keeps to its part
};

/// Brigada's, by docs/benchmarks.md: a streamed call of 400 KB, and each event of the stream.
FrontDoor our_front_door(const Workload& workload, double calls_per_s, bool is_redundant);

/// Calls a second that one worker lets in.
double admissions_per_s(const FrontDoor& door);

/// What a limit of so many requests admits when Redis is away.
double admitted_by(const FrontDoor& door, double limit);

double database_connections(const FrontDoor& door);

/// The least each queue may hold, so that nobody waits longer than `wait_s` in vain.
double queue_cap(double calls_per_s, double wait_s);

void explain_front_door(PlanPage& page, const PlanRequest& request, const PlanOption& option);

/// Tokens a minute that a fleet reads and writes, against what tenants were promised.
void explain_promises(PlanPage& page, const std::vector<TenantLimit>& tenants, double tokens_per_s);

}  // namespace brigada
