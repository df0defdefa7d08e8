// GatewayConfig: all that config.yaml says, as plain values: LiteLLM's sections and `brigada:`, for
// what LiteLLM has no word for. Two of them compare equal when a reload would change nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/money.h"
#include "base/time.h"
#include "gateway/config/deployment.h"
#include "gateway/config/router_settings.h"
#include "gateway/config/secret.h"
#include "gateway/config/upstream_address.h"

namespace brigada {

struct RedisSettings {
    std::string host = {};
    uint16_t port = 6379;
    Secret password = {};
    Secret url = {};  // instead of the three above; it may hold a password

    bool is_given() const { return !host.empty() || !url.empty(); }
    friend bool operator==(const RedisSettings&, const RedisSettings&) = default;
};

/// Limits that a new key or team gets, or the most that a new key may ask for.
struct LimitSettings {
    std::optional<Money> max_budget = {};
    std::string budget_duration = {};  // "30d"; "": the budget is never renewed
    std::string duration = {};         // until a key expires; "": never
    std::optional<int64_t> tpm = {};
    std::optional<int64_t> rpm = {};
    std::optional<int64_t> max_parallel = {};
    std::vector<std::string> models = {};  // none: all

    friend bool operator==(const LimitSettings&, const LimitSettings&) = default;
};

struct BudgetSettings {
    std::optional<Money> max_budget = {};  // of everything together
    std::string budget_duration = {};
    std::string timezone = "UTC";  // an IANA name
    std::optional<Money> max_end_user_budget = {};
    std::string end_user_budget_id = {};  // a budget template for end users
    bool tracks_end_users = true;
    LimitSettings key_defaults = {};
    LimitSettings key_most = {};  // upperbound_key_generate_params
    LimitSettings team_defaults = {};

    friend bool operator==(const BudgetSettings&, const BudgetSettings&) = default;
};

struct CacheSettings {
    bool enabled = false;
    enum class Store { memory, redis } store = Store::memory;
    RedisSettings redis = {};
    std::string key_prefix = {};  // LiteLLM's namespace
    std::optional<Duration> ttl = {};
    bool on_by_default = true;                 // mode default_on; else a call asks for it
    std::vector<std::string> call_types = {};  // none: all

    friend bool operator==(const CacheSettings&, const CacheSettings&) = default;
};

/// Where spans are sent to: OTEL_EXPORTER_OTLP_ENDPOINT and its kin of the environment.
struct OtelSettings {
    std::string traces_url = "http://localhost:4318/v1/traces";
    std::vector<HeaderSetting> headers = {};
    std::string service_name = "brigada";

    friend bool operator==(const OtelSettings&, const OtelSettings&) = default;
};

struct CallbackSettings {
    bool prometheus = false;
    bool otel = false;
    OtelSettings otel_to = {};
    bool hides_messages = true;  // prompts appear in no log and no span
    bool json_logs = false;
    bool verbose = false;

    friend bool operator==(const CallbackSettings&, const CallbackSettings&) = default;
};

struct GeneralSettings {
    Secret master_key = {};
    Secret database_url = {};
    int64_t database_connections = 10;
    Duration batch_write_interval = Duration::seconds(10);
    Duration spend_log_retention = Duration::max();  // how long single calls are kept
    bool serves_without_database = false;            // allow_requests_on_db_unavailable
    bool fails_closed = false;                       // fail_closed_budget_enforcement

    std::optional<int64_t> max_parallel = {};  // of one key that says nothing itself
    int64_t max_request_bytes = 32 << 20;
    std::optional<int64_t> max_response_bytes = {};
    enum class CountedTokens { total, input, output } counted_tokens = CountedTokens::total;

    std::string key_header = {};       // beside Authorization and x-api-key
    std::string end_user_header = {};  // names the end user
    bool requires_end_user = false;    // enforce_user_param
    bool forwards_client_headers = false;
    bool always_includes_usage = false;
    bool drops_unsupported_params = false;

    bool checks_health_in_background = false;
    Duration health_check_interval = Duration::seconds(300);
    bool shows_health_details = true;

    bool has_drain_endpoint = false;
    Secret drain_token = {};
    bool alerts_by_webhook = false;  // alerting lists it: WEBHOOK_URL is told, too

    friend bool operator==(const GeneralSettings&, const GeneralSettings&) = default;
};

struct ClassSettings {
    int64_t floor = 0;              // slots that no other class may take
    int64_t share_permille = 1000;  // of all slots, the most this class may take
    int64_t queue_requests = 256;   // waiting calls of one tenant
    int64_t queue_bytes = 256 << 20;
    Duration queue_wait = Duration::seconds(30);

    friend bool operator==(const ClassSettings&, const ClassSettings&) = default;
};

enum class ClassWord { guaranteed, standard, batch };

struct AdmissionSettings {
    int64_t slots = 256;  // calls that run at once
    ClassSettings guaranteed = {};
    ClassSettings standard = {};
    ClassSettings batch = {.share_permille = 500, .queue_wait = Duration::seconds(300)};
    ClassWord default_class = ClassWord::standard;
    Duration ageing = Duration::seconds(30);  // of waiting is worth one class

    friend bool operator==(const AdmissionSettings&, const AdmissionSettings&) = default;
};

enum class LogLevel { debug, info, warning, error };
enum class LogFormat { automatic, json, text };  // automatic: text on a terminal, else json

struct LogSettings {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::automatic;
    std::string file = {};  // "": stderr

    friend bool operator==(const LogSettings&, const LogSettings&) = default;
};

struct BrigadaSettings {
    ListenAddress listen = {};
    std::filesystem::path data_dir = "brigada-data";  // relative to where the server was started
    Secret pepper =
        {};  // of key hashes; "": the one in data_dir. Gateways that share keys share it
    AdmissionSettings admission = {};

    LogSettings log = {};

    std::string webhook_url = {};  // told of budgets that run out; "": nobody is
    Secret webhook_token = {};     // sent to it as a bearer token
    Secret webhook_secret = {};    // what is sent is signed with it
    std::vector<int64_t> alert_permille = {500, 800, 950};  // ascending
    int64_t cached_token_permille = 100;  // of a token that a cached input token counts as
    int64_t budget_status = 429;          // or 400, as older LiteLLM
    int64_t cache_bytes = 256 << 20;      // of answers kept, when litellm_settings.cache says so

    int64_t kept_response_bytes = 64 << 20;  // of /v1/responses, for previous_response_id

    std::optional<int64_t> replicas = {};  // the most gateways that run at once, sharing Redis
    Duration redis_timeout = Duration::milliseconds(100);  // then limits are kept alone

    std::optional<Duration> keepalive = Duration::seconds(15);  // nothing: no comments are sent
    Duration connect_timeout = Duration::seconds(5);
    Duration idle_timeout = Duration::seconds(300);  // between two bytes of an upstream
    bool http2 = true;                               // offered to upstreams behind https
    Duration drain_grace = Duration::seconds(600);
    Duration ledger_sync = Duration::milliseconds(50);  // zero: before the client sees the end

    friend bool operator==(const BrigadaSettings&, const BrigadaSettings&) = default;
};

struct GatewayConfig {
    std::vector<Deployment> deployments = {};
    TlsSettings tls = {};  // of deployments that say nothing themselves
    RouterSettings router = {};
    GeneralSettings general = {};
    BudgetSettings budgets = {};
    CacheSettings cache = {};
    CallbackSettings callbacks = {};
    RedisSettings redis = {};  // shared by replicas: limits, sessions
    BrigadaSettings brigada = {};

    friend bool operator==(const GatewayConfig&, const GatewayConfig&) = default;
};

}  // namespace brigada
