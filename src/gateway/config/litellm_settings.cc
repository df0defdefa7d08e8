// litellm_settings: budgets, the answer cache, callbacks, and retries that router_settings may
// outrank.
#include <array>

#include "base/concat.h"
#include "gateway/config/sections.h"

namespace brigada {
namespace {

constexpr IntegerRange kLimit = {1, 1'000'000'000'000};

// --- callbacks ----------------------------------------------------------------------------------

void add_callback(const YamlValue& value, const std::string& name, CallbackSettings& out) {
    if (name == "prometheus")
        out.prometheus = true;
    else if (name == "otel")
        out.otel = true;
    else
        value.warn(concat("callback \"", name, "\" has no effect; prometheus and otel have"));
}

void read_callback_list(const YamlValue& list, CallbackSettings& out) {
    if (list.is_scalar()) {
        if (const auto name = list.text()) add_callback(list, *name, out);
        return;
    }
    for (const YamlValue& item : list.items())
        if (const auto name = item.text()) add_callback(item, *name, out);
}

void read_callbacks(YamlFields& fields, CallbackSettings& out) {
    for (const std::string_view name : {"callbacks", "success_callback", "failure_callback",
                                        "service_callback", "service_callbacks"})
        if (const auto list = fields.find(name)) read_callback_list(*list, out);
    fields.boolean("turn_off_message_logging", out.hides_messages);
    fields.boolean("json_logs", out.json_logs);
    fields.boolean("set_verbose", out.verbose);
    fields.unused({"redact_user_api_key_info"}, "keys are never logged");
}

// --- cache --------------------------------------------------------------------------------------

void read_store(YamlFields& params, CacheSettings& out) {
    const auto type = params.find("type");
    const std::string name = type ? type->text().value_or("") : "redis";
    if (name == "redis")
        out.store = CacheSettings::Store::redis;
    else if (name == "local")
        out.store = CacheSettings::Store::memory;
    else {
        out.store = CacheSettings::Store::memory;
        type->warn(concat("cache type \"", name,
                          "\" is not supported, answers are kept in memory; "
                          "local and redis are"));
    }
}

void read_cache_params(const YamlValue& value, CacheSettings& out) {
    YamlFields params(value);
    read_store(params, out);
    read_redis(params, "", out.redis);
    params.text("namespace", out.key_prefix);
    params.seconds("ttl", out.ttl);
    params.choice<bool>("mode", {{"default_on", true}, {"default_off", false}}, out.on_by_default);
    params.texts("supported_call_types", out.call_types);
    params.unused({"similarity_threshold"}, "only equal calls are answered from the cache");
    params.unused({"max_connections"}, "one connection is enough");
    params.finish();
    if (out.store == CacheSettings::Store::redis && !out.redis.is_given())
        value.error("type redis needs a host or a url");
}

void read_cache(YamlFields& fields, CacheSettings& out) {
    fields.boolean("cache", out.enabled);
    if (const auto params = fields.find("cache_params")) read_cache_params(*params, out);
}

// --- budgets and limits -------------------------------------------------------------------------

void read_limits(const YamlValue& value, LimitSettings& out) {
    YamlFields fields(value);
    fields.dollars("max_budget", out.max_budget);
    fields.period("budget_duration", out.budget_duration);
    fields.period("duration", out.duration);
    fields.integer("tpm_limit", kLimit, out.tpm);
    fields.integer("rpm_limit", kLimit, out.rpm);
    fields.integer("max_parallel_requests", kLimit, out.max_parallel);
    fields.texts("models", out.models);
    fields.finish();
}

void read_budgets(YamlFields& fields, BudgetSettings& out) {
    fields.dollars("max_budget", out.max_budget);
    fields.period("budget_duration", out.budget_duration);
    fields.text("timezone", out.timezone);
    fields.dollars("max_end_user_budget", out.max_end_user_budget);
    fields.text("max_end_user_budget_id", out.end_user_budget_id);
    bool is_untracked = !out.tracks_end_users;
    fields.boolean("disable_end_user_cost_tracking", is_untracked);
    out.tracks_end_users = !is_untracked;
    if (const auto value = fields.find("default_key_generate_params"))
        read_limits(*value, out.key_defaults);
    if (const auto value = fields.find("upperbound_key_generate_params"))
        read_limits(*value, out.key_most);
    if (const auto value = fields.find("default_team_params"))
        read_limits(*value, out.team_defaults);
}

void name_what_has_no_effect(YamlFields& fields) {
    fields.unused({"priority_reservation", "priority_reservation_settings"},
                  "shares of the classes are set in brigada.classes");
    fields.unused({"cost_discount_config", "cost_margin_config"},
                  "a price is given with its deployment");
    fields.unused({"key_generation_settings", "default_internal_user_params"},
                  "only the master key makes keys");
    fields.unused({"ssl_security_level", "ssl_ecdh_curve"},
                  "TLS 1.2 and 1.3 are spoken as OpenSSL has them");
    fields.unused({"modify_params"}, "calls go to the upstream as they came");
    fields.unused(
        {"use_chat_completions_url_for_anthropic_messages", "route_all_chat_openai_to_responses"},
        "an upstream is called in the dialect it speaks");
    fields.unused({"network_mock"}, "answers come from upstreams only");
    fields.unused({"mcp_aliases"}, "there is no MCP gateway");
    fields.unused({"guardrails"}, "there are no guardrails");
}

}  // namespace

void read_litellm_settings(const YamlValue& section, ConfigDraft& draft) {
    GatewayConfig& config = draft.config;
    YamlFields fields(section);
    read_callbacks(fields, config.callbacks);
    read_cache(fields, config.cache);
    read_budgets(fields, config.budgets);
    read_retries_and_fallbacks(fields, draft);
    read_tls(fields, config.tls);
    fields.seconds("request_timeout", config.router.timeout);
    fields.integer("allowed_fails", {0, 1'000'000}, config.router.allowed_fails);
    fields.boolean("drop_params", config.general.drops_unsupported_params);
    fields.seconds("sse_keepalive_ping_interval_seconds", config.brigada.keepalive);
    name_what_has_no_effect(fields);
    fields.finish();
}

}  // namespace brigada
