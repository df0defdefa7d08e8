// router_settings: strategy, retries, fallbacks, cooldowns. It outranks litellm_settings.
#include "base/concat.h"
#include "gateway/config/sections.h"

namespace brigada {
namespace {

constexpr IntegerRange kCount = {0, 1'000'000};

void read_strategy(YamlFields& fields, RoutingStrategy& out) {
    using enum RoutingStrategy;
    fields.choice<RoutingStrategy>("routing_strategy",
                                   {{"session", session},
                                    {"round-robin", round_robin},
                                    {"prefix-hash", prefix_hash},
                                    {"simple-shuffle", simple_shuffle},
                                    {"least-busy", least_busy},
                                    {"usage-based-routing-v2", usage_based},
                                    {"usage-based-routing", usage_based},
                                    {"latency-based-routing", latency_based},
                                    {"cost-based-routing", cost_based}},
                                   out);
}

void read_per_failure(const YamlValue& value, const std::string& ending, PerFailure& out) {
    YamlFields fields(value);
    fields.integer("AuthenticationError" + ending, kCount, out.authentication);
    fields.integer("TimeoutError" + ending, kCount, out.timeout);
    fields.integer("RateLimitError" + ending, kCount, out.rate_limit);
    fields.integer("ContentPolicyViolationError" + ending, kCount, out.content_policy);
    fields.integer("InternalServerError" + ending, kCount, out.internal_server);
    fields.integer("BadRequestError" + ending, kCount, out.bad_request);
    fields.finish();
}

void read_retries(YamlFields& fields, ConfigDraft& draft) {
    RouterSettings& router = draft.config.router;
    fields.seconds("retry_after", router.retry_after);
    if (const auto policy = fields.find("retry_policy"))
        read_per_failure(*policy, "Retries", router.retries);
    const auto models = fields.find("model_group_retry_policy");
    if (!models) return;
    router.model_retries.clear();
    for (const auto& [model, policy] : models->entries()) {
        draft.mentions.push_back({policy, model});
        read_per_failure(policy, "Retries",
                         router.model_retries.emplace_back(ModelRetries{.model = model}).retries);
    }
}

/// What is no failure of the upstream opens no breaker, and 429 asks for a pause of its own.
void read_allowed_fails(const YamlValue& policy, PerFailure& out) {
    read_per_failure(policy, "AllowedFails", out);
    if (out.rate_limit || out.content_policy || out.bad_request)
        policy.warn(
            "RateLimitErrorAllowedFails, ContentPolicyViolationErrorAllowedFails and "
            "BadRequestErrorAllowedFails have no effect: a deployment that answers 429 is left "
            "alone for as long as it asks, and what a call did wrong never counts");
}

void read_cooldowns(YamlFields& fields, RouterSettings& router) {
    fields.integer("allowed_fails", kCount, router.allowed_fails);
    if (const auto policy = fields.find("allowed_fails_policy"))
        read_allowed_fails(*policy, router.allowed_fails_by_failure);
    fields.seconds("cooldown_time", router.cooldown);
    bool is_off = !router.has_cooldowns;
    fields.boolean("disable_cooldowns", is_off);
    router.has_cooldowns = !is_off;
}

/// {alias: model} or {alias: {model: ..., hidden: ...}}.
AliasSettings read_alias(const std::string& name, const YamlValue& value) {
    AliasSettings out{.name = name};
    if (!value.is_map()) {
        out.target = value.text().value_or("");
        return out;
    }
    YamlFields fields(value);
    if (const auto model = fields.require("model")) out.target = model->text().value_or("");
    fields.boolean("hidden", out.is_hidden);
    fields.finish();
    return out;
}

void read_aliases(YamlFields& fields, ConfigDraft& draft) {
    const auto value = fields.find("model_group_alias");
    if (!value) return;
    draft.config.router.aliases.clear();
    for (const auto& [name, target] : value->entries()) {
        draft.config.router.aliases.push_back(read_alias(name, target));
        draft.mentions.push_back({target, draft.config.router.aliases.back().target});
    }
}

void add_check(const YamlValue& value, const std::string& name, AffinitySettings& out) {
    if (name == "session_affinity")
        out.by_session = true;
    else if (name == "deployment_affinity")
        out.by_key = true;
    else if (name == "responses_api_deployment_check")
        out.by_previous_response = true;
    else if (name == "prompt_caching")
        out.by_cached_prompt = true;
    else
        value.warn(concat("\"", name,
                          "\" has no effect; session_affinity, deployment_affinity, "
                          "responses_api_deployment_check and prompt_caching have"));
}

void read_affinity(YamlFields& fields, AffinitySettings& out) {
    fields.seconds("deployment_affinity_ttl_seconds", out.idle);
    const auto checks = fields.find("optional_pre_call_checks");
    if (!checks) return;
    out = {.idle = out.idle};
    for (const YamlValue& check : checks->items())
        if (const auto name = check.text()) add_check(check, *name, out);
}

void name_what_has_no_effect(YamlFields& fields) {
    fields.unused({"routing_strategy_args"}, "strategies have no arguments");
    fields.unused({"default_priority", "polling_interval"}, "classes are set in brigada.classes");
    fields.unused({"provider_budget_config"}, "budgets belong to keys, users and teams");
    fields.unused({"model_group_affinity_config"}, "affinity is the same for all models");
    fields.unused({"caching_groups", "cache_responses", "cache_kwargs", "client_ttl"},
                  "answers are cached as litellm_settings.cache_params says");
    fields.unused({"set_verbose", "debug_level"}, "litellm_settings.set_verbose says it");
}

}  // namespace

void read_router_settings(const YamlValue& section, ConfigDraft& draft) {
    RouterSettings& router = draft.config.router;
    YamlFields fields(section);
    read_strategy(fields, router.strategy);
    read_affinity(fields, router.affinity);
    read_aliases(fields, draft);
    read_retries_and_fallbacks(fields, draft);
    fields.integer("max_fallbacks", kCount, router.fallbacks.most);
    read_retries(fields, draft);
    read_cooldowns(fields, router);
    fields.seconds("timeout", router.timeout);
    fields.seconds("stream_timeout", router.stream_timeout);
    fields.integer("default_max_parallel_requests", {1, 1'000'000}, router.max_parallel);
    fields.boolean("enable_pre_call_checks", router.checks_context_window);
    fields.boolean("enable_tag_filtering", router.filters_by_tag);
    fields.boolean("tag_filtering_match_any", router.any_tag_matches);
    read_redis(fields, "redis_", draft.config.redis);
    name_what_has_no_effect(fields);
    fields.finish();
}

}  // namespace brigada
