// Candidate: one way to run the model, replicas apart: accelerator, ranks, KV dtype, tiers. And the
// judgement of one: how many replicas it takes, what that costs, by how much it misses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/placement.h"
#include "plan/closed_form/situation.h"
#include "plan/request.h"

namespace brigada {

struct PlanCandidate {
    Accelerator accelerator = {};
    uint32_t tp = 1, dp = 1, ep = 1;
    KvDtype kv_dtype = KvDtype::bf16;
    double ram_tier_bytes = 0;  // per accelerator

    uint32_t accelerators() const { return tp * dp; }
};

/// "H100 SXM 80GB, TP 2, KV fp8, 128 GiB of RAM".
std::string name_of(const PlanCandidate& candidate);

/// Every combination the request allows, in a fixed order; experts apart only where there are some.
std::vector<PlanCandidate> candidates_of(const PlanRequest& request);

/// What one replica is, and what fits there. Errors: why it can't be.
Result<Situation> situation_of(const PlanRequest& request, const PlanCandidate& candidate);

/// One target that does not hold.
struct MissedTarget {
    std::string target = {};  // "TTFT p90"
    double wanted = 0, got = 0;
    std::string unit = {};
    double factor = 1;  // by which it is missed
};

std::vector<MissedTarget> misses(const Targets& targets, const FleetFigures& figures);

/// How near the closest target is: 1 is exactly met, 2 missed by twice, 0.5 twice as good.
double tightness(const Targets& targets, const FleetFigures& figures);

struct FleetCost {
    double per_hour = 0, per_hour_low = 0, per_hour_high = 0;  // dollars, of the fleet
    double per_month = 0;
    double per_developer_month = 0;
    double per_million_output = 0;  // output tokens
    double per_million_tokens = 0;  // prompt and output tokens
    double kilowatts = 0;           // at most: what the datasheets say
};

inline constexpr double kHoursPerMonth = 730;

struct PlanOption {
    PlanCandidate candidate = {};
    Situation situation = {};  // all replicas, spare ones too
    uint32_t replicas = 0;
    uint32_t spare = 0;                     // of those
    FleetFigures normal = {};               // all replicas answer
    FleetFigures degraded = {};             // as many as are left when the spare ones are lost
    std::optional<FleetCost> money = {};    // nothing where no price is known
    std::vector<MissedTarget> misses = {};  // of the degraded fleet
    double tightness = 0;                   // of the degraded fleet
    double usual_tightness = 0;             // of all replicas
    size_t order = 0;                       // among the candidates

    uint32_t accelerators() const { return replicas * candidate.accelerators(); }
};

std::optional<FleetCost> money_of(const PlanRequest& request, const PlanOption& option);

/// The fewest replicas that meet the targets without the spare ones, and the spare ones; or, when
/// no number does, the one that comes nearest, with its misses.
PlanOption fewest_replicas(const PlanRequest& request, const PlanCandidate& candidate,
                           const Situation& replica);

/// That many, whatever it meets.
PlanOption option_with(const PlanRequest& request, const PlanCandidate& candidate,
                       const Situation& replica, uint32_t replicas, uint32_t spare);

}  // namespace brigada
