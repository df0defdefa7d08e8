#include "route/named_policy.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/joined.h"
#include "route/least_busy.h"
#include "route/lowest_cost.h"
#include "route/lowest_latency.h"
#include "route/lowest_usage.h"
#include "route/prefix_hash.h"
#include "route/round_robin.h"
#include "route/session_policy.h"
#include "route/weighted.h"

namespace brigada {
namespace {

constexpr uint32_t kPrefixHashTokens = 1'024;  // the tools, for most agents

using MadePolicy = std::unique_ptr<Policy>;

template <typename Kind>
MadePolicy make(uint32_t /*block_tokens*/) {
    return std::make_unique<Kind>();
}

MadePolicy make_session(uint32_t /*block_tokens*/) {
    return std::make_unique<SessionPolicy>(SessionPolicyConfig{});
}

MadePolicy make_prefix_hash(uint32_t block_tokens) {
    return std::make_unique<PrefixHash>(std::max(1u, kPrefixHashTokens / block_tokens));
}

struct NamedPolicy {
    std::string_view name;
    MadePolicy (*make)(uint32_t block_tokens);
};

constexpr std::array kPolicies = {
    NamedPolicy{"session", make_session},
    NamedPolicy{"least-busy", make<LeastBusy>},
    NamedPolicy{"latency-based-routing", make<LowestLatency>},
    NamedPolicy{"usage-based-routing", make<LowestUsage>},
    NamedPolicy{"cost-based-routing", make<LowestCost>},
    NamedPolicy{"round-robin", make<RoundRobin>},
    NamedPolicy{"simple-shuffle", make<Weighted>},
    NamedPolicy{"prefix-hash", make_prefix_hash},
};

}  // namespace

const std::vector<std::string_view>& policy_names() {
    static const std::vector<std::string_view> kNames = [] {
        std::vector<std::string_view> names;
        std::ranges::transform(kPolicies, std::back_inserter(names), &NamedPolicy::name);
        return names;
    }();
    return kNames;
}

Result<std::unique_ptr<Policy>> policy_named(std::string_view name, uint32_t block_tokens) {
    for (const NamedPolicy& known : kPolicies)
        if (known.name == name) return known.make(block_tokens);
    return Error{Code::not_found,
                 concat("no routing policy '", name, "'; there are ", joined(policy_names()))};
}

}  // namespace brigada
