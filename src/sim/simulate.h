// simulate(): a fleet in virtual time. Replicas are the production scheduler and KV books with a
// StepCost as executor; router and admission are production's, too; clients play a Trace in a
// closed loop. The same setup gives the same bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admit/class_queue.h"
#include "admit/limiter.h"
#include "base/json.h"
#include "base/result.h"
#include "cost/speculation.h"
#include "cost/step_cost.h"
#include "kv/retention.h"
#include "route/miss_cause.h"
#include "sched/config.h"
#include "sim/percentiles.h"
#include "trace/trace.h"

namespace brigada {

// --- what is asked ------------------------------------------------------------------------------

/// Memory below a replica's own that keeps what is evicted there.
struct SimTiers {
    uint64_t ram_bytes = 0;
    uint64_t disk_bytes = 0;
    double ram_bytes_per_s = 25e9;  // PCIe 4 x16, as reached; what comes from disk passes it, too
    double disk_bytes_per_s = 5e9;  // one NVMe

    bool any() const { return ram_bytes > 0 || disk_bytes > 0; }
};

enum class ReplicaRole {
    both,     // reads prompts and answers
    prefill,  // only reads prompts; others answer
    decode,   // answers; gets the KV of prompts over the link
};

/// Between replicas that read and those that answer: each has one such connection, which one
/// transfer after the other passes.
struct SimLink {
    double bytes_per_s = 50e9;                     // of a replica: 400 Gbit/s
    Duration latency = Duration::milliseconds(1);  // of a transfer, from asking to the first byte

    /// A prompt of which no more than so many tokens are missing where it will be answered is read
    /// there.
    uint32_t local_tokens = 0;
};

/// One kind of replica, `count` times.
struct SimReplica {
    std::string name;
    uint32_t count = 1;
    StepCost cost;
    SchedulerConfig scheduler;
    uint64_t kv_tokens = 0;         // tokens of KV one replica holds
    double dollars_per_hour = 0;    // of one replica
    double kv_bytes_per_token = 0;  // on all its accelerators together; needed where KV is moved
    SimTiers tiers = {};
    ReplicaRole role = ReplicaRole::both;
    RetentionPolicy retention = RetentionPolicy::agents;
    Speculation speculation = {};
    std::vector<uint32_t> models = {};  // of the trace, that it serves, as if they were one; none:
                                        // all

    bool serves(uint32_t model) const {
        return models.empty() || std::ranges::find(models, model) != models.end();
    }
};

enum class FaultKind {
    lost,     // with all that runs there and its cache
    back,     // after `lost`: with an empty cache; after `drained`: as it was
    drained,  // gets no more calls; those that run come to their end
};

/// Something happens to replica `replica` (counted through all kinds) at `at`.
struct SimFault {
    Instant at;
    uint32_t replica = 0;
    FaultKind kind = FaultKind::lost;
};

/// Replicas start and stop with the load. Those beyond `least` are not there at the beginning.
struct SimAutoscaler {
    uint32_t least = 1;                        // replicas that are always there
    uint32_t calls_up = 16;                    // running calls a replica, above which one is added
    uint32_t calls_down = 4;                   // below which one is drained
    Duration every = Duration::seconds(15);    // it looks so often
    Duration lag = Duration::seconds(5 * 60);  // from deciding to a replica that serves, cold
    Duration settle = Duration::seconds(5 * 60);  // after one was drained or added, none is drained
};

/// One replica after the other is drained, restarted and back, with an empty cache.
struct SimRollout {
    Instant at;
    Duration restart = Duration::seconds(60);             // from the last answer to serving again
    Duration longest_drain = Duration::seconds(10 * 60);  // then its calls are cut off
};

/// What a client does when a call fails: the rules of the OpenAI and Anthropic SDKs. And when its
/// user changes his mind: a call that he interrupts is cancelled, and the session goes on with what
/// he says next.
struct ClientRules {
    uint32_t retries = 2;                                  // after 429, 503 and broken answers
    Duration first_delay = Duration::milliseconds(500);    // doubled each time,
    Duration longest_delay = Duration::seconds(8);         // up to this; less a quarter by chance
    Duration longest_retry_after = Duration::seconds(60);  // one that is longer is not believed
    Duration timeout = Duration::max();  // from sending to the last token; then it retries
    double interrupt_chance = 0;  // that a user means to interrupt a call, sub-agents' apart,
    Duration interrupt_within = Duration::seconds(30);  // at a time within this; it may be over
};

/// The gateway's queue in front of the replicas.
struct SimAdmission {
    ClassQueueConfig queue;
    Duration longest_wait = Duration::max();  // in it; then 503
    std::vector<PriorityClass> classes;       // of Trace::tenants; standard where there is none
};

/// A call is good when it meets both; 0 asks for nothing.
struct SimTargets {
    double ttft_s = 0;
    double tpot_s = 0;
};

struct SimSetup {
    std::vector<SimReplica> replicas;
    SimLink link = {};               // where there are replicas that only read prompts
    std::string policy = "session";  // a routing policy by its name in the gateway's configuration
    std::vector<SimFault> faults;
    std::optional<SimAutoscaler> autoscaler;
    std::optional<SimAdmission> admission;  // none: every call is let in
    std::vector<Limits> limits;             // of Trace::tenants, at the gateway
    std::optional<SimRollout> rollout;
    ClientRules clients;
    SimTargets targets;
    Duration warm_up;                  // calls that begin before are not reported
    Instant until = Instant::never();  // no call begins after this
    Duration sample_every;             // of the time series; zero: none
    bool answers_return = true;  // in the next prompt; false: made-up ones, as brigada load sends
    uint64_t seed = 1;

    bool step_by_step = false;  // decode steps one by one: slower, the same decisions
    bool proves = false;        // check() of every core after every event: much slower
};

// --- what came of it ----------------------------------------------------------------------------

/// Calls that have something in common.
struct SimGroup {
    std::string name;
    uint64_t calls = 0;   // answered
    uint64_t failed = 0;  // given up by the client
    uint64_t prompt_tokens = 0;
    uint64_t cached_tokens = 0;
    uint64_t output_tokens = 0;
    uint64_t good = 0;  // of the answered, those that met the targets
    Percentiles ttft_s, tpot_s, call_s;

    double hit_rate() const;
};

/// Calls that found less than their session should have, by cause.
struct SimMisses {
    uint64_t calls = 0;
    uint64_t lost_tokens = 0;
};

/// What lay where when calls asked for it, and what was moved for them.
struct SimTierUse {
    uint64_t own_tokens = 0;  // of prompts, found in the replicas' own memory
    uint64_t ram_tokens = 0;
    uint64_t disk_tokens = 0;
    uint64_t loads = 0;
    Percentiles load_s;  // with waiting for others
    uint64_t bytes_from_ram = 0, bytes_from_disk = 0;
    uint64_t bytes_to_ram = 0, bytes_to_disk = 0;
    uint64_t bytes_dropped = 0;  // by the lowest tier
};

/// Prompts that one replica read and another answered.
struct SimTransfers {
    uint64_t calls = 0;
    uint64_t local_calls = 0;  // read where they were answered
    uint64_t bytes = 0;
    Percentiles transfer_s;   // with waiting for others
    double readers_busy = 0;  // mean share of the time that they computed
    double others_busy = 0;
};

/// The fleet at one moment.
struct SimSample {
    double at_s = 0;
    uint32_t replicas = 0;  // that take calls
    uint32_t running = 0;   // sequences in the schedulers
    uint32_t waiting = 0;   // there
    uint32_t queued = 0;    // calls in the gateway's queue
    double kv_held = 0;     // share of all KV that running sequences hold
    double kv_cached = 0;   // share that can be matched
};

struct SimReport {
    uint64_t calls = 0;
    uint64_t failed = 0;
    uint64_t too_large = 0;  // of those, refused because they fit into no context or KV cache
    uint64_t retries = 0;
    uint64_t interrupted = 0;  // by their users
    uint64_t skipped = 0;      // never sent, because their turn was interrupted
    uint64_t over_limits = 0;  // times a tenant's limit refused a call
    double rollout_s = 0;      // from its beginning to the last replica's return
    double seconds = 0;        // of virtual time, first arrival to last answer
    Percentiles ttft_s, tpot_s, call_s, turn_s;
    Percentiles seconds_per_token;  // of one call, answer time over output tokens; 1 / p90 is
                                    // AgentX's figure
    uint64_t prompt_tokens = 0;
    uint64_t output_tokens = 0;
    double hit_rate = 0;  // prompt tokens found cached
    double goodput = 0;   // calls per second that met the targets
    double dollars = 0;
    uint64_t preemptions = 0;
    uint64_t evicted_tokens = 0;
    uint64_t reread_tokens = 0;               // read again after they had been evicted
    std::optional<SimTierUse> tiers;          // where a replica has any
    std::optional<SimTransfers> transfers;    // where some only read prompts
    double kv_held_p50 = 0, kv_held_max = 0;  // share of one replica's KV, over its steps by time
    std::vector<double> utilisation;  // of each replica, share computed of the time since any call

    std::vector<SimGroup> tenants;    // as in the trace
    std::vector<SimGroup> models;     // where replicas serve some of them
    std::vector<SimGroup> classes;    // guaranteed, standard, batch, where there is admission
    std::vector<SimGroup> positions;  // calls by their place in the session
    std::array<SimMisses, 7> misses;  // by MissCause
    std::vector<SimSample> series;
    uint64_t digest = 0;  // of every decision: equal setups end in equal digests
};

/// For whoever wants to see what happens: a trace of lanes, a live picture.
class SimObserver {
  public:
    virtual ~SimObserver() = default;

    /// A replica computed `steps` steps in a row.
    struct Steps {
        uint32_t replica = 0;
        Instant begin;
        Instant end;
        uint32_t steps = 0;
        StepShape shape;  // of the first
        double kv_held = 0;
    };
    virtual void computed(const Steps& steps) = 0;
    virtual void happened(Instant at, uint32_t replica, std::string_view what) = 0;
};

/// Error::invalid_argument names what is wrong in the setup or the trace.
Result<SimReport> simulate(const Trace& trace, const SimSetup& setup,
                           SimObserver* observer = nullptr);

Json to_json(const SimReport& report);

}  // namespace brigada
