#include "gateway/setup.h"

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

constexpr uint32_t kPrefixHashBlocks = 64;  // the first 1,024 tokens: tools, for most agents

/// The fields of a body of /key/generate or /team/new that leaves them out.
Json defaults(const LimitSettings& settings) {
    Json out = Json::object();
    const auto give = [&](const char* name, const auto& value) {
        if (value) out[name] = *value;
    };
    const auto say = [&](const char* name, const std::string& text) {
        if (!text.empty()) out[name] = text;
    };
    if (settings.max_budget)
        out["max_budget"] = static_cast<double>(settings.max_budget->nano) / 1e9;
    say("budget_duration", settings.budget_duration);
    say("duration", settings.duration);
    give("tpm_limit", settings.tpm);
    give("rpm_limit", settings.rpm);
    give("max_parallel_requests", settings.max_parallel);
    if (!settings.models.empty()) out["models"] = settings.models;
    return out;
}

PriorityClass priority_of(ClassWord word) {
    switch (word) {
        case ClassWord::guaranteed:
            return PriorityClass::guaranteed;
        case ClassWord::batch:
            return PriorityClass::batch;
        case ClassWord::standard:
            break;
    }
    return PriorityClass::standard;
}

}  // namespace

CounterRef Setup::counter_of(std::string_view model) const {
    for (const Deployment& deployment : config.deployments)
        if (upstream_model_for(deployment, model))
            if (CounterRef counter = counters.of(deployment)) return counter;
    return nullptr;
}

std::unique_ptr<Policy> make_policy(RoutingStrategy strategy) {
    switch (strategy) {
        case RoutingStrategy::round_robin:
            return std::make_unique<RoundRobin>();
        case RoutingStrategy::prefix_hash:
            return std::make_unique<PrefixHash>(kPrefixHashBlocks);
        case RoutingStrategy::simple_shuffle:
            return std::make_unique<Weighted>();
        case RoutingStrategy::least_busy:
            return std::make_unique<LeastBusy>();
        case RoutingStrategy::usage_based:
            return std::make_unique<LowestUsage>();
        case RoutingStrategy::latency_based:
            return std::make_unique<LowestLatency>();
        case RoutingStrategy::cost_based:
            return std::make_unique<LowestCost>();
        case RoutingStrategy::session:
            break;
    }
    return std::make_unique<SessionPolicy>(SessionPolicyConfig{});
}

DirectoryConfig directory_config(const GatewayConfig& config) {
    const LimitSettings& most = config.budgets.key_most;
    DirectoryConfig out{.master_key = config.general.master_key.reveal(),
                        .key_defaults = defaults(config.budgets.key_defaults),
                        .team_defaults = defaults(config.budgets.team_defaults)};
    out.default_priority = priority_of(config.brigada.admission.default_class);
    out.key_concurrency = config.general.max_parallel;
    out.end_user_budget = config.budgets.max_end_user_budget;
    out.end_user_budget_id = config.budgets.end_user_budget_id;
    out.proxy.max_budget = config.budgets.max_budget;
    out.proxy.budget_duration = config.budgets.budget_duration;
    out.key_bounds = {.limits = {.requests_per_minute = most.rpm,
                                 .tokens_per_minute = most.tpm,
                                 .concurrent = most.max_parallel},
                      .max_budget = most.max_budget,
                      .budget_duration = most.budget_duration,
                      .lifetime = most.duration};
    return out;
}

}  // namespace brigada
