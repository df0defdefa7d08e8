// simulate(): a fleet in virtual time. Replicas are the production scheduler and KV books with a
// StepCost as executor; router and admission are production's, too; clients play a Trace in a
// closed loop. The same setup gives the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cost/step_cost.h"
#include "sched/config.h"
#include "trace/trace.h"

namespace brigada {

/// One kind of replica, `count` times.
struct SimReplica {
    std::string name;
    uint32_t count = 1;
    StepCost cost;
    SchedulerConfig scheduler;
    uint64_t kv_tokens = 0;       // tokens of KV one replica holds
    double dollars_per_hour = 0;  // of one replica
};

enum class FaultKind { lost, back, drained };

/// Something happens to replica `replica` (counted through all kinds) at `at`.
struct SimFault {
    Instant at;
    uint32_t replica = 0;
    FaultKind kind = FaultKind::lost;
};

struct SimSetup {
    std::vector<SimReplica> replicas;
    std::string policy = "session";  // a routing policy by its name in the gateway's configuration
    std::vector<SimFault> faults;
    Duration warm_up;  // calls that begin before are not reported
    Instant until = Instant::never();
    uint64_t seed = 1;
};

/// Percentiles of one quantity, exact.
struct Percentiles {
    uint64_t count = 0;
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

struct SimReport {
    uint64_t calls = 0;
    uint64_t failed = 0;
    double seconds = 0;  // of virtual time, first arrival to last answer
    Percentiles ttft_s, tpot_s, call_s, turn_s;
    Percentiles seconds_per_token;  // of one call, answer time over output tokens; 1 / p90 is
                                    // AgentX's figure
    double hit_rate = 0;            // prompt tokens found cached
    double dollars = 0;
    uint64_t preemptions = 0;
    uint64_t evicted_tokens = 0;
    std::vector<double> utilisation;  // of each replica, share of the time it computed
    uint64_t digest = 0;              // of every decision: equal setups end in equal digests
};

/// Error::invalid_argument names what is wrong in the setup.
Result<SimReport> simulate(const Trace& trace, const SimSetup& setup);

Json to_json(const SimReport& report);

}  // namespace brigada
