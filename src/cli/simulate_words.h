// The options of brigada simulate, and the setup that they describe.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/sim_runs.h"

namespace brigada {

struct SimulateWords {
    // What is asked.
    std::vector<std::string> traces;
    uint32_t developers = 0;  // or so many people with a built-in profile
    std::string profile = "claude-code";
    double duration_s = 3600;
    double spread_s = 0;
    double until_s = 0;
    double warm_up_s = 0;

    // Of whom.
    std::string model;
    std::string gpu;
    std::string cost;  // a file
    std::string kv_dtype = "bf16";
    uint32_t tp = 1;
    double utilisation = 0.9;
    uint64_t kv_tokens = 0;
    double dollars_per_hour = -1;
    double ram_tier_gib = 0;  // of each accelerator, as its bandwidth
    double disk_tier_gib = 0;
    double ram_gb_s = 25;
    double disk_gb_s = 5;
    double kv_bytes_per_token = 0;
    uint32_t prefill_replicas = 0;  // beside `replicas`, which then only answer
    double link_gb_s = 50;          // of each accelerator
    double link_latency_s = 0.001;
    uint32_t read_locally = 0;
    uint32_t draft_tokens = 0;
    double acceptance = 0.7;
    double draft_ms = 0;
    std::vector<std::string> pools;  // MODELS:KEY=VALUE,...
    uint32_t replicas = 1;
    uint32_t step_tokens = 8192;
    uint32_t max_num_seqs = 256;
    uint32_t max_context = 0;

    // How.
    std::vector<std::string> policies = {"session"};
    std::vector<std::string> retentions = {"agents"};
    bool made_up_answers = false;
    uint32_t seeds = 1;
    uint64_t seed = 1;
    uint32_t threads = 0;
    int64_t slots = 0;
    double longest_wait_s = 0;
    std::vector<std::string> classes;  // TENANT=CLASS
    uint32_t retries = 2;
    double timeout_s = 0;
    double interrupt_chance = 0;
    double interrupt_within_s = 30;
    std::vector<std::string> requests_per_minute;  // TENANT=N
    std::vector<std::string> tokens_per_minute;    // the same
    double rolling_update_s = -1;
    double restart_s = 60;
    double drain_limit_s = 600;
    std::vector<std::string> lost;     // REPLICA@SECONDS or REPLICA@SECONDS-SECONDS
    std::vector<std::string> drained;  // the same
    uint32_t autoscale_from = 0;
    double autoscale_lag_s = 300;
    double ttft_s = 0;
    double tpot_s = 0;
    double sample_s = 0;

    // Where to.
    bool json = false;
    std::string perfetto;
};

void add_options(CLI::App& command, SimulateWords& words);

// Errors name the option and what works.

Result<SimReplica> replica_of(const SimulateWords& words);

/// One of the setups that are shown beside each other.
struct SimVariant {
    std::string name;  // "session", or "session, lru" where retention varies, too
    std::string policy;
    RetentionPolicy retention = RetentionPolicy::agents;
};
Result<std::vector<SimVariant>> variants_of(const SimulateWords& words);

/// All but what a variant says, and the seed.
Result<SimSetup> setup_of(const SimulateWords& words, const SimReplica& replica,
                          const Trace& trace);

/// What the setup's replicas are, for people: a line for each kind.
std::string describe(const std::vector<SimReplica>& replicas);

}  // namespace brigada
