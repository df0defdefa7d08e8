// Every key of the settings sections: that it arrives where it belongs, and nowhere else.
#include "gateway/config/sections.h"

#include <gtest/gtest.h>

#include <span>

#include "gateway/config/fake_config.h"

namespace brigada {
namespace {

using Store = CacheSettings::Store;
using CountedTokens = GeneralSettings::CountedTokens;

/// One key in its section, and the same change made by hand.
struct Case {
    const char* section;
    const char* text;
    void (*change)(GatewayConfig& config);
};

void expect_each_key_arrives(std::span<const Case> cases) {
    const GatewayConfig silent = load_text(kCompleteConfig)->config;
    for (const Case& c : cases) {
        SCOPED_TRACE(concat(c.section, ": ", c.text));
        FakeConfig config{.files = {{"config.yaml", kCompleteConfig + "include: more.yaml\n"},
                                    {"more.yaml", concat(c.section, ": {", c.text, "}\n")}}};
        const auto loaded = config.load();
        EXPECT_EQ(notes_of(loaded), "");
        ASSERT_TRUE(loaded.ok());
        GatewayConfig expected = silent;
        c.change(expected);
        EXPECT_TRUE(loaded->config == expected);
        EXPECT_FALSE(loaded->config == silent) << "the case must differ from what silence gives";
    }
}

TEST(Sections, router_settings) {
    const Case cases[] = {
        {"router_settings", "routing_strategy: round-robin",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::round_robin; }},
        {"router_settings", "routing_strategy: prefix-hash",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::prefix_hash; }},
        {"router_settings", "routing_strategy: simple-shuffle",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::simple_shuffle; }},
        {"router_settings", "routing_strategy: least-busy",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::least_busy; }},
        {"router_settings", "routing_strategy: usage-based-routing",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::usage_based; }},
        {"router_settings", "routing_strategy: latency-based-routing",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::latency_based; }},
        {"router_settings", "routing_strategy: cost-based-routing",
         [](GatewayConfig& c) { c.router.strategy = RoutingStrategy::cost_based; }},
        {"router_settings", "optional_pre_call_checks: [deployment_affinity, prompt_caching]",
         [](GatewayConfig& c) {
             c.router.affinity.by_key = true;
             c.router.affinity.by_cached_prompt = true;
         }},
        {"router_settings", "optional_pre_call_checks: [responses_api_deployment_check]",
         [](GatewayConfig& c) { c.router.affinity.by_previous_response = true; }},
        {"router_settings", "deployment_affinity_ttl_seconds: 60",
         [](GatewayConfig& c) { c.router.affinity.idle = Duration::seconds(60); }},
        {"router_settings", "model_group_alias: {a: m, b: {model: m, hidden: true}}",
         [](GatewayConfig& c) {
             c.router.aliases = {{.name = "a", .target = "m"},
                                 {.name = "b", .target = "m", .is_hidden = true}};
         }},
        {"router_settings", "num_retries: 1", [](GatewayConfig& c) { c.router.num_retries = 1; }},
        {"router_settings", "retry_after: 2",
         [](GatewayConfig& c) { c.router.retry_after = Duration::seconds(2); }},
        {"router_settings",
         "retry_policy: {AuthenticationErrorRetries: 1, TimeoutErrorRetries: 2, "
         "RateLimitErrorRetries: 3, ContentPolicyViolationErrorRetries: 4, "
         "InternalServerErrorRetries: 5, BadRequestErrorRetries: 0}",
         [](GatewayConfig& c) { c.router.retries = {1, 2, 3, 4, 5, 0}; }},
        {"router_settings", "model_group_retry_policy: {m: {TimeoutErrorRetries: 7}}",
         [](GatewayConfig& c) {
             c.router.model_retries = {{.model = "m", .retries = {.timeout = 7}}};
         }},
        {"router_settings", "allowed_fails: 9",
         [](GatewayConfig& c) { c.router.allowed_fails = 9; }},
        {"router_settings", "allowed_fails_policy: {TimeoutErrorAllowedFails: 8}",
         [](GatewayConfig& c) { c.router.allowed_fails_by_failure.timeout = 8; }},
        {"router_settings", "cooldown_time: 0.5",
         [](GatewayConfig& c) { c.router.cooldown = Duration::milliseconds(500); }},
        {"router_settings", "disable_cooldowns: true",
         [](GatewayConfig& c) { c.router.has_cooldowns = false; }},
        {"router_settings", "fallbacks: [{m: [m]}]",
         [](GatewayConfig& c) { c.router.fallbacks.general = {{.model = "m", .instead = {"m"}}}; }},
        {"router_settings", "context_window_fallbacks: [{m: m}]",
         [](GatewayConfig& c) {
             c.router.fallbacks.context_window = {{.model = "m", .instead = {"m"}}};
         }},
        {"router_settings", "content_policy_fallbacks: [{m: [m]}]",
         [](GatewayConfig& c) {
             c.router.fallbacks.content_policy = {{.model = "m", .instead = {"m"}}};
         }},
        {"router_settings", "default_fallbacks: [m]",
         [](GatewayConfig& c) { c.router.fallbacks.otherwise = {"m"}; }},
        {"router_settings", "max_fallbacks: 2",
         [](GatewayConfig& c) { c.router.fallbacks.most = 2; }},
        {"router_settings", "timeout: 30",
         [](GatewayConfig& c) { c.router.timeout = Duration::seconds(30); }},
        {"router_settings", "stream_timeout: 3",
         [](GatewayConfig& c) { c.router.stream_timeout = Duration::seconds(3); }},
        {"router_settings", "default_max_parallel_requests: 4",
         [](GatewayConfig& c) { c.router.max_parallel = 4; }},
        {"router_settings", "enable_pre_call_checks: true",
         [](GatewayConfig& c) { c.router.checks_context_window = true; }},
        {"router_settings", "enable_tag_filtering: true, tag_filtering_match_any: false",
         [](GatewayConfig& c) {
             c.router.filters_by_tag = true;
             c.router.any_tag_matches = false;
         }},
        {"router_settings", "redis_host: r, redis_port: 7, redis_password: p",
         [](GatewayConfig& c) { c.redis = {.host = "r", .port = 7, .password = Secret("p")}; }},
        {"router_settings", "redis_url: u", [](GatewayConfig& c) { c.redis.url = Secret("u"); }},
    };
    expect_each_key_arrives(cases);
}

TEST(Sections, litellm_settings) {
    const Case cases[] = {
        {"litellm_settings",
         "ssl_verify: \"False\", ssl_certificate: me.pem, ssl_certificate_key: k.pem",
         [](GatewayConfig& c) {
             c.tls = {.verifies = false, .certificate_file = "me.pem", .key_file = "k.pem"};
             for (Deployment& deployment : c.deployments)
                 deployment.tls = c.tls;
         }},
        {"litellm_settings", "callbacks: otel", [](GatewayConfig& c) { c.callbacks.otel = true; }},
        {"litellm_settings", "success_callback: [prometheus]",
         [](GatewayConfig& c) { c.callbacks.prometheus = true; }},
        {"litellm_settings", "turn_off_message_logging: false, json_logs: true, set_verbose: true",
         [](GatewayConfig& c) {
             c.callbacks.hides_messages = false;
             c.callbacks.json_logs = true;
             c.callbacks.verbose = true;
         }},
        {"litellm_settings", "cache: true", [](GatewayConfig& c) { c.cache.enabled = true; }},
        {"litellm_settings",
         "cache_params: {type: redis, host: h, port: 1, password: p, namespace: n, ttl: 60, "
         "mode: default_off, supported_call_types: [acompletion]}",
         [](GatewayConfig& c) {
             c.cache = {.store = Store::redis,
                        .redis = {.host = "h", .port = 1, .password = Secret("p")},
                        .key_prefix = "n",
                        .ttl = Duration::seconds(60),
                        .on_by_default = false,
                        .call_types = {"acompletion"}};
         }},
        {"litellm_settings", "cache_params: {type: local, url: u}",
         [](GatewayConfig& c) { c.cache.redis.url = Secret("u"); }},
        {"litellm_settings", "max_budget: 100, budget_duration: 1mo, timezone: Europe/Madrid",
         [](GatewayConfig& c) {
             c.budgets.max_budget = Money::dollars(100);
             c.budgets.budget_duration = "1mo";
             c.budgets.timezone = "Europe/Madrid";
         }},
        {"litellm_settings",
         "max_end_user_budget: 0.5, max_end_user_budget_id: b, "
         "disable_end_user_cost_tracking: true",
         [](GatewayConfig& c) {
             c.budgets.max_end_user_budget = Money{500'000'000};
             c.budgets.end_user_budget_id = "b";
             c.budgets.tracks_end_users = false;
         }},
        {"litellm_settings",
         "upperbound_key_generate_params: {max_budget: 1, budget_duration: 7d, duration: 30d, "
         "tpm_limit: 2, rpm_limit: 3, max_parallel_requests: 4}",
         [](GatewayConfig& c) {
             c.budgets.key_most = {.max_budget = Money::dollars(1),
                                   .budget_duration = "7d",
                                   .duration = "30d",
                                   .tpm = 2,
                                   .rpm = 3,
                                   .max_parallel = 4};
         }},
        {"litellm_settings", "default_key_generate_params: {models: [m]}",
         [](GatewayConfig& c) { c.budgets.key_defaults.models = {"m"}; }},
        {"litellm_settings", "default_team_params: {rpm_limit: 5}",
         [](GatewayConfig& c) { c.budgets.team_defaults.rpm = 5; }},
        {"litellm_settings", "request_timeout: 6000, num_retries: 0, allowed_fails: 1",
         [](GatewayConfig& c) {
             c.router.timeout = Duration::seconds(6000);
             c.router.num_retries = 0;
             c.router.allowed_fails = 1;
         }},
        {"litellm_settings", "drop_params: true",
         [](GatewayConfig& c) { c.general.drops_unsupported_params = true; }},
        {"litellm_settings", "sse_keepalive_ping_interval_seconds: 20",
         [](GatewayConfig& c) { c.brigada.keepalive = Duration::seconds(20); }},
    };
    expect_each_key_arrives(cases);
}

TEST(Sections, general_settings) {
    const Case cases[] = {
        {"general_settings", "database_url: 'postgresql://d', database_connection_pool_limit: 3",
         [](GatewayConfig& c) {
             c.general.database_url = Secret("postgresql://d");
             c.general.database_connections = 3;
         }},
        {"general_settings", "proxy_batch_write_at: 1",
         [](GatewayConfig& c) { c.general.batch_write_interval = Duration::seconds(1); }},
        {"general_settings", "maximum_spend_logs_retention_period: 90d",
         [](GatewayConfig& c) { c.general.spend_log_retention = Duration::seconds(90 * 86'400); }},
        {"general_settings",
         "allow_requests_on_db_unavailable: true, fail_closed_budget_enforcement: true",
         [](GatewayConfig& c) {
             c.general.serves_without_database = true;
             c.general.fails_closed = true;
         }},
        {"general_settings", "max_parallel_requests: 5",
         [](GatewayConfig& c) { c.general.max_parallel = 5; }},
        {"general_settings", "global_max_parallel_requests: 6",
         [](GatewayConfig& c) { c.brigada.admission.slots = 6; }},
        {"general_settings", "max_request_size_mb: 1, max_response_size_mb: 0.5",
         [](GatewayConfig& c) {
             c.general.max_request_bytes = 1 << 20;
             c.general.max_response_bytes = 1 << 19;
         }},
        {"general_settings", "token_rate_limit_type: output",
         [](GatewayConfig& c) { c.general.counted_tokens = CountedTokens::output; }},
        {"general_settings", "token_rate_limit_type: input",
         [](GatewayConfig& c) { c.general.counted_tokens = CountedTokens::input; }},
        {"general_settings",
         "litellm_key_header_name: X-Key, user_header_name: X-User, enforce_user_param: true",
         [](GatewayConfig& c) {
             c.general.key_header = "X-Key";
             c.general.end_user_header = "X-User";
             c.general.requires_end_user = true;
         }},
        {"general_settings",
         "forward_client_headers_to_llm_api: true, always_include_stream_usage: true",
         [](GatewayConfig& c) {
             c.general.forwards_client_headers = true;
             c.general.always_includes_usage = true;
         }},
        {"general_settings",
         "background_health_checks: true, health_check_interval: 60, health_check_details: false",
         [](GatewayConfig& c) {
             c.general.checks_health_in_background = true;
             c.general.health_check_interval = Duration::seconds(60);
             c.general.shows_health_details = false;
         }},
    };
    expect_each_key_arrives(cases);
}

TEST(Sections, brigada) {
    const Case cases[] = {
        {"brigada", "listen: \":80\", data_dir: /var/lib/b",
         [](GatewayConfig& c) {
             c.brigada.listen = {"0.0.0.0", 80};
             c.brigada.data_dir = "/var/lib/b";
         }},
        {"brigada", "slots: 10, ageing_seconds: 5, default_class: batch",
         [](GatewayConfig& c) {
             c.brigada.admission.slots = 10;
             c.brigada.admission.ageing = Duration::seconds(5);
             c.brigada.admission.default_class = ClassWord::batch;
         }},
        {"brigada",
         "classes: {guaranteed: {floor: 4, share: 0.9, queue_requests: 1, queue_mb: 2, "
         "queue_wait_seconds: 3}, standard: {floor: 1}, batch: {share: 0.25}}",
         [](GatewayConfig& c) {
             c.brigada.admission.guaranteed = {.floor = 4,
                                               .share_permille = 900,
                                               .queue_requests = 1,
                                               .queue_bytes = 2 << 20,
                                               .queue_wait = Duration::seconds(3)};
             c.brigada.admission.standard.floor = 1;
             c.brigada.admission.batch.share_permille = 250;
         }},
        {"brigada",
         "webhook_url: \"https://hooks.example/x\", webhook_token: t, alert_thresholds: [0.9, 0.4]",
         [](GatewayConfig& c) {
             c.brigada.webhook_url = "https://hooks.example/x";
             c.brigada.webhook_token = Secret("t");
             c.brigada.alert_permille = {400, 900};
         }},
        {"brigada", "webhook_secret: whsec_eA, cache_mb: 2, kept_responses_mb: 3",
         [](GatewayConfig& c) {
             c.brigada.webhook_secret = Secret("whsec_eA");
             c.brigada.cache_bytes = 2 << 20;
             c.brigada.kept_response_bytes = 3 << 20;
         }},
        {"brigada", "log: {level: debug, format: text, file: door.log}",
         [](GatewayConfig& c) { c.brigada.log = {LogLevel::debug, LogFormat::text, "door.log"}; }},
        {"brigada", "cached_token_weight: 1, budget_status: 400",
         [](GatewayConfig& c) {
             c.brigada.cached_token_permille = 1000;
             c.brigada.budget_status = 400;
         }},
        {"brigada", "http2: false", [](GatewayConfig& c) { c.brigada.http2 = false; }},
        {"brigada", "replicas: 3", [](GatewayConfig& c) { c.brigada.replicas = 3; }},
        {"brigada", "redis_timeout_seconds: 0.5",
         [](GatewayConfig& c) { c.brigada.redis_timeout = Duration::milliseconds(500); }},
        {"brigada", "keepalive_seconds: 0", [](GatewayConfig& c) { c.brigada.keepalive.reset(); }},
        {"brigada", "connect_timeout_seconds: 1, idle_timeout_seconds: 2, drain_grace_seconds: 3",
         [](GatewayConfig& c) {
             c.brigada.connect_timeout = Duration::seconds(1);
             c.brigada.idle_timeout = Duration::seconds(2);
             c.brigada.drain_grace = Duration::seconds(3);
         }},
        {"brigada", "pepper: pepper-of-the-test",
         [](GatewayConfig& c) { c.brigada.pepper = Secret("pepper-of-the-test"); }},
        {"brigada", "ledger_sync_seconds: 0", [](GatewayConfig& c) { c.brigada.ledger_sync = {}; }},
        {"brigada", "overload_fallbacks: [{m: [m]}]",
         [](GatewayConfig& c) {
             c.router.fallbacks.overload = {{.model = "m", .instead = {"m"}}};
         }},
    };
    expect_each_key_arrives(cases);
}

TEST(Sections, router_settings_outrank_litellm_settings_wherever_they_stand) {
    const auto loaded = load_text(
        "router_settings: {num_retries: 1, timeout: 5}\n"
        "litellm_settings: {num_retries: 2, request_timeout: 9}\n" +
        kCompleteConfig);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->config.router.num_retries, 1);
    EXPECT_EQ(loaded->config.router.timeout, Duration::seconds(5));
}

}  // namespace
}  // namespace brigada
