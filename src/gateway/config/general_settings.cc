// general_settings: the master key, the database, sizes, health checks, and how many calls at once.
#include "admit/budget_period.h"
#include "base/concat.h"
#include "gateway/config/sections.h"
#include "ledger/postgres_address.h"

namespace brigada {
namespace {

constexpr IntegerRange kCount = {1, 1'000'000};

void read_master_key(YamlFields& fields, Secret& out) {
    const auto value = fields.find("master_key");
    if (!value) return;
    if (auto text = value->text()) out = Secret(*std::move(text));
    if (value->is_scalar() && !value->is_from_environ())
        value->warn("is written in the file; os.environ/LITELLM_MASTER_KEY keeps it out");
}

void read_database_url(YamlFields& fields, Secret& out) {
    const auto value = fields.find("database_url");
    if (!value) return;
    auto url = value->text();
    if (!url || url->empty()) return;
    const auto address = parse_postgres_address(*url);
    if (!address.ok()) return value->error(address.error().message);
    out = Secret(*std::move(url));
}

/// Sums are kept by the hour, so no less than one of single calls.
void read_retention(YamlFields& fields, Duration& out) {
    const auto value = fields.find("maximum_spend_logs_retention_period");
    if (!value) return;
    const auto written = value->period();
    if (!written) return;
    const auto period = parse_period(*written);
    const Duration length = period.ok() ? length_of(*period) : Duration();
    if (length < Duration::seconds(3'600)) return value->must_be("an hour or more, such as 30d");
    out = length;
}

void read_database(YamlFields& fields, GeneralSettings& out) {
    read_database_url(fields, out.database_url);
    fields.integer("database_connection_pool_limit", {1, 1000}, out.database_connections);
    fields.seconds("proxy_batch_write_at", out.batch_write_interval);
    read_retention(fields, out.spend_log_retention);
    fields.boolean("allow_requests_on_db_unavailable", out.serves_without_database);
    fields.boolean("fail_closed_budget_enforcement", out.fails_closed);
}

/// LiteLLM counts these per worker. This server is one worker, so they are its own.
void read_admission(YamlFields& fields, AdmissionSettings& out) {
    std::optional<int64_t> queued;
    std::optional<Duration> wait;
    fields.integer("max_in_flight_requests_per_worker", kCount, out.slots);
    fields.integer("max_queued_requests_per_worker", {0, 1'000'000}, queued);
    fields.seconds("admission_queue_timeout_seconds", wait);
    for (ClassSettings* each : {&out.guaranteed, &out.standard, &out.batch}) {
        each->queue_requests = queued.value_or(each->queue_requests);
        each->queue_wait = wait.value_or(each->queue_wait);
    }
}

void read_limits(YamlFields& fields, ConfigDraft& draft) {
    GeneralSettings& general = draft.config.general;
    fields.integer("max_parallel_requests", kCount, general.max_parallel);
    fields.integer("global_max_parallel_requests", kCount, draft.config.brigada.admission.slots);
    read_admission(fields, draft.config.brigada.admission);
    fields.megabytes("max_request_size_mb", general.max_request_bytes);
    fields.megabytes("max_response_size_mb", general.max_response_bytes);
    using enum GeneralSettings::CountedTokens;
    fields.choice<GeneralSettings::CountedTokens>(
        "token_rate_limit_type", {{"total", total}, {"input", input}, {"output", output}},
        general.counted_tokens);
}

void read_calls(YamlFields& fields, GeneralSettings& out) {
    fields.text("litellm_key_header_name", out.key_header);
    fields.text("user_header_name", out.end_user_header);
    fields.boolean("enforce_user_param", out.requires_end_user);
    fields.boolean("forward_client_headers_to_llm_api", out.forwards_client_headers);
    fields.boolean("always_include_stream_usage", out.always_includes_usage);
}

void read_health(YamlFields& fields, GeneralSettings& out) {
    fields.boolean("background_health_checks", out.checks_health_in_background);
    fields.seconds("health_check_interval", out.health_check_interval);
    fields.boolean("health_check_details", out.shows_health_details);
    fields.boolean("enable_drain_endpoint", out.has_drain_endpoint);
    fields.text("drain_endpoint_token", out.drain_token);
}

void read_alerting(YamlFields& fields, GeneralSettings& out) {
    const auto value = fields.find("alerting");
    const auto names = value ? value->texts() : std::nullopt;
    if (!names) return;
    for (const std::string& name : *names) {
        if (name == "webhook")
            out.alerts_by_webhook = true;
        else
            value->warn(concat("alerting by \"", name, "\" has no effect; webhook has"));
    }
}

void name_what_has_no_effect(YamlFields& fields) {
    fields.unused({"store_model_in_db"}, "models come from this file");
    fields.unused({"disable_spend_logs", "disable_spend_updates", "disable_error_logs",
                   "use_redis_transaction_buffer"},
                  "every call is in the ledger");
    fields.unused({"store_prompts_in_spend_logs"}, "the ledger keeps no prompts");
    fields.unused({"maximum_spend_logs_retention_interval"}, "old records go as they age");
    fields.unused({"disable_reset_budget", "proxy_budget_rescheduler_min_time",
                   "proxy_budget_rescheduler_max_time"},
                  "a budget's window ends by the clock, no job resets it");
    fields.unused({"alert_types", "alerting_threshold", "alerting_args"},
                  "budgets, upstreams and the ledger are what alerts tell of");
    fields.unused({"custom_auth", "enable_jwt_auth", "litellm_jwtauth", "enable_oauth2_auth"},
                  "clients are known by their keys only");
    fields.unused({"allowed_routes", "public_routes", "admin_only_routes", "default_team_disabled",
                   "enforced_params"},
                  "a key reaches the model routes, the master key the others");
    fields.unused({"user_api_key_cache_ttl"}, "a key that is blocked is refused at once");
    fields.unused({"enable_health_check_routing"}, "what is unhealthy is never chosen");
    fields.unused({"pass_through_endpoints"}, "there are no pass-through routes");
    fields.unused({"user_header_mappings"}, "user_header_name says it");
    fields.unused({"completion_model"}, "a call names its model");
}

}  // namespace

void read_general_settings(const YamlValue& section, ConfigDraft& draft) {
    GeneralSettings& general = draft.config.general;
    YamlFields fields(section);
    read_master_key(fields, general.master_key);
    read_database(fields, general);
    read_limits(fields, draft);
    read_calls(fields, general);
    read_health(fields, general);
    read_alerting(fields, general);
    name_what_has_no_effect(fields);
    fields.finish();
}

}  // namespace brigada
