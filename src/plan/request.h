// PlanRequest: what a person asks the planner: who will use what model how, on which machines it
// may run, and how good it has to be. Pure data; flags, a YAML file or questions fill it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/accelerator.h"
#include "cost/geometry.h"
#include "cost/kv_size.h"
#include "plan/workload.h"

namespace brigada {

/// What must hold; what is not given is not asked for.
struct Targets {
    std::optional<double> ttft_p90_s = {};
    std::optional<double> tpot_s = {};  // mean, so TPOT of 0.05 is 20 tokens/s in a stream
    std::optional<double> interactivity_p90 = {};  // tokens/s/user: 1 / P90 of call time per token
    std::optional<double> task_p90_s = {};         // of a turn: its calls and tools

    bool any() const { return ttft_p90_s || tpot_s || interactivity_p90 || task_p90_s; }
};

/// Memory beside an accelerator's own that holds KV, per accelerator.
struct KvTiers {
    double ram_bytes = 0;
    double ram_bytes_per_s = 25e9;  // PCIe 4 x16, as reached
    double disk_bytes = 0;
    double disk_bytes_per_s = 5e9;  // one NVMe

    bool any() const { return ram_bytes > 0 || disk_bytes > 0; }
};

/// A tenant's promise: tokens per minute that he may use.
struct TenantLimit {
    std::string name = {};
    double tokens_per_minute = 0;
};

struct PlanRequest {
    double developers = 20;
    double sessions_per_hour = 0;  // instead of developers, unless 0
    Profile profile = {};          // the people whom --verify lets work
    Workload workload = {};        // theirs, in numbers
    ModelGeometry model = {};
    std::string model_name = {};  // as it was asked for

    std::vector<Accelerator> accelerators = {};
    std::vector<uint32_t> tensor_parallel = {1, 2, 4, 8};
    std::vector<KvDtype> kv_dtypes = {KvDtype::bf16, KvDtype::fp8};
    std::vector<double> ram_tiers = {0};  // bytes per accelerator, each tried
    KvTiers tier_speeds = {};             // bandwidths, and the disk that each has
    std::string engine = "vllm";          // whose known speed on an accelerator counts
    std::optional<double> mfu = {}, mbu = {}, step_s = {};  // instead of what is known
    double utilisation = 0.9;
    uint32_t step_tokens = 2048;
    uint32_t most_accelerators = 1024;

    Targets targets = {};
    double peak_factor = 1.5;
    uint32_t spare_replicas = 1;
    double budget_per_month = 0;           // dollars; 0: none
    double price_per_hour = 0;             // of one accelerator, instead of the catalogue's
    double working_hours_per_month = 176;  // in which people work; machines are paid all 730
    std::vector<TenantLimit> tenants = {};
};

/// Targets of a request that has none: TTFT p90 of 10 s and 20 tokens/s in a stream.
Targets default_targets();

/// How many people: declared, or as many as begin so many sessions an hour (Little).
double people(const PlanRequest& request);

/// Error::invalid_argument names the field, its value and what would work.
Result<void> check_request(const PlanRequest& request);

}  // namespace brigada
