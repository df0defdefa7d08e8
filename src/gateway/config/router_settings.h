// RouterSettings: how a deployment is chosen, how often a call is tried, and what is tried instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace brigada {

enum class RoutingStrategy {
    session,  // by expected seconds, the session's KV counted; what is used when the file is silent
    round_robin,
    prefix_hash,
    simple_shuffle,  // by weight, else by rpm, else by tpm
    least_busy,
    usage_based,
    latency_based,
    cost_based,
};

/// One number for each kind of upstream failure; where there is none, the general number counts.
struct PerFailure {
    std::optional<int64_t> authentication = {};
    std::optional<int64_t> timeout = {};
    std::optional<int64_t> rate_limit = {};
    std::optional<int64_t> content_policy = {};
    std::optional<int64_t> internal_server = {};
    std::optional<int64_t> bad_request = {};

    friend bool operator==(const PerFailure&, const PerFailure&) = default;
};

struct ModelRetries {
    std::string model = {};
    PerFailure retries = {};

    friend bool operator==(const ModelRetries&, const ModelRetries&) = default;
};

/// What is asked, in order, when `model` cannot answer.
struct ModelFallbacks {
    std::string model = {};
    std::vector<std::string> instead = {};

    friend bool operator==(const ModelFallbacks&, const ModelFallbacks&) = default;
};

struct FallbackSettings {
    std::vector<ModelFallbacks> general = {};
    std::vector<ModelFallbacks> context_window = {};  // the prompt is too long for the model
    std::vector<ModelFallbacks> content_policy = {};
    std::vector<ModelFallbacks> overload = {};  // every deployment is full or cooling down
    std::vector<std::string> otherwise = {};    // default_fallbacks: of a model not named above
    int64_t most = 5;                           // tried for one call

    friend bool operator==(const FallbackSettings&, const FallbackSettings&) = default;
};

struct AliasSettings {
    std::string name = {};    // what clients may ask for
    std::string target = {};  // a model_name
    bool is_hidden = false;   // works, but is not listed

    friend bool operator==(const AliasSettings&, const AliasSettings&) = default;
};

/// optional_pre_call_checks: what ties calls to a deployment beyond the strategy.
struct AffinitySettings {
    bool by_session = false;
    bool by_key = false;  // deployment_affinity
    bool by_previous_response = false;
    bool by_cached_prompt = false;  // prompt_caching
    Duration idle = Duration::seconds(3600);

    friend bool operator==(const AffinitySettings&, const AffinitySettings&) = default;
};

struct RouterSettings {
    RoutingStrategy strategy = RoutingStrategy::session;
    AffinitySettings affinity = {};
    std::vector<AliasSettings> aliases = {};

    int64_t num_retries = 3;
    Duration retry_after = {};  // the least wait before a retry
    PerFailure retries = {};
    std::vector<ModelRetries> model_retries = {};
    FallbackSettings fallbacks = {};

    int64_t allowed_fails = 3;  // of a deployment in a minute, before it cools down
    PerFailure allowed_fails_by_failure = {};
    bool has_cooldowns = true;
    Duration cooldown = Duration::seconds(5);

    Duration timeout = Duration::seconds(600);    // of a whole call
    std::optional<Duration> stream_timeout = {};  // to the first byte of a stream
    std::optional<int64_t> max_parallel = {};     // of a deployment that says nothing itself
    bool checks_context_window = false;           // enable_pre_call_checks
    bool filters_by_tag = false;
    bool any_tag_matches = true;

    friend bool operator==(const RouterSettings&, const RouterSettings&) = default;
};

}  // namespace brigada
