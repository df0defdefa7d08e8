// Deployment: one entry of model_list, that is one upstream that serves one model name. Several
// with one name share its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/time.h"
#include "dialect/dialect.h"
#include "gateway/config/secret.h"
#include "gateway/config/upstream_address.h"
#include "net/tls_settings.h"

namespace brigada {

/// Whose manners an upstream has: how it takes a key, how its errors look.
enum class UpstreamDialect { openai, anthropic };

/// Dollars as the file writes them ("3e-06"; "" where it says nothing): whoever computes with
/// prices parses them exactly.
struct PriceTexts {
    std::string input = {};         // per token, and so are the next three
    std::string cached_input = {};  // read from the upstream's prefix cache
    std::string cache_write = {};
    std::string output = {};
    std::string request = {};  // per call

    friend bool operator==(const PriceTexts&, const PriceTexts&) = default;
};

/// Prices of the whole call when its prompt has more than so many tokens.
struct PriceTierTexts {
    int64_t above_tokens = 0;
    PriceTexts prices = {};

    friend bool operator==(const PriceTierTexts&, const PriceTierTexts&) = default;
};

struct HeaderSetting {
    std::string name = {};
    Secret value = {};  // often a key

    friend bool operator==(const HeaderSetting&, const HeaderSetting&) = default;
};

struct HealthCheckSettings {
    std::string model = {};  // asked instead of the upstream model; "": that one
    std::optional<Duration> timeout = {};
    std::optional<int64_t> max_tokens = {};
    bool in_background = true;

    friend bool operator==(const HealthCheckSettings&, const HealthCheckSettings&) = default;
};

/// What is known of an engine of one's own: routing predicts with it, and its hours are priced.
struct EngineFactSettings {
    std::optional<int64_t> prefill_tokens_per_second = {};
    std::optional<int64_t> decode_tokens_per_second = {};        // of one sequence
    std::optional<int64_t> kv_tokens = {};                       // that fit into its KV cache
    std::optional<Money> hourly_price = {};                      // of all its GPUs together
    std::optional<int64_t> total_decode_tokens_per_second = {};  // of all its sequences together
    std::optional<int64_t> busy_permille = {};                   // of the hours that are paid
    std::optional<int64_t> cached_permille = {};  // a cached token, of the price of one read
    bool measures_throughput = false;             // as calls show it, once enough was seen
    bool shares_kv_with_all = false;              // else each tenant has KV of its own

    friend bool operator==(const EngineFactSettings&, const EngineFactSettings&) = default;
};

/// What counts a deployment's prompts.
struct TokenizerSettings {
    std::string identifier = {};     // a path, or a pulled model's name; "": there is none
    std::string revision = "main";   // of such a model
    std::string chat_template = {};  // instead of the tokenizer's own, unless ""
    bool chatml_if_none = false;     // as the embedded engine has it

    friend auto operator<=>(const TokenizerSettings&, const TokenizerSettings&) = default;
};

struct Deployment {
    std::string id = {};          // model_info.id, else made from the parameters: see made_id()
    std::string model_name = {};  // what clients ask for; may contain one '*'
    std::string provider = {};    // the part of `model` before the first '/'
    UpstreamDialect dialect = UpstreamDialect::openai;
    std::vector<Dialect> spoken = {};  // what it answers as it comes; the rest is translated
    std::string upstream_model = {};   // the rest; '*' is what model_name's '*' matched
    std::optional<UpstreamAddress> address = {};  // nothing: it cannot be called, a warning said so
    TlsSettings tls = {};                         // counts where the address is https
    Secret api_key = {};
    std::string organization = {};
    std::vector<HeaderSetting> extra_headers = {};

    std::optional<int64_t> rpm = {};
    std::optional<int64_t> tpm = {};
    std::optional<int64_t> max_parallel = {};
    std::optional<int64_t> weight_permille = {};  // weight 1 is 1000
    std::optional<int64_t> order = {};            // the lowest that is healthy goes first
    std::vector<std::string> tags = {};

    std::optional<Duration> timeout = {};         // of a whole call
    std::optional<Duration> stream_timeout = {};  // to the first byte of a stream
    std::optional<Duration> cooldown = {};
    std::optional<Duration> keepalive = {};
    std::optional<int64_t> max_retries = {};

    PriceTexts prices = {};
    std::vector<PriceTierTexts> price_tiers = {};  // ascending, each threshold once

    std::string mode = "chat";
    std::string base_model = {};
    std::optional<int64_t> max_tokens = {};
    std::optional<int64_t> max_input_tokens = {};
    std::optional<int64_t> max_output_tokens = {};
    std::vector<std::string> access_groups = {};
    HealthCheckSettings health_check = {};
    EngineFactSettings engine = {};
    TokenizerSettings tokenizer = {};

    friend bool operator==(const Deployment&, const Deployment&) = default;
};

/// Whether tokens are priced by what an hour of the engine costs, where no price is given.
inline bool is_priced_by_hour(const Deployment& deployment) {
    const EngineFactSettings& engine = deployment.engine;
    return engine.hourly_price && engine.prefill_tokens_per_second &&
           engine.total_decode_tokens_per_second;
}

/// Whether calls say whose KV they may reuse (`cache_salt`), so that nobody learns by the time of
/// an answer what another tenant has asked. Engines of one's own know the field, in two
/// dialects.
inline bool salts_kv(const Deployment& deployment, Dialect dialect) {
    const std::string& provider = deployment.provider;
    const bool knows = provider == "brigada" || provider == "hosted_vllm" || provider == "vllm";
    return knows && !deployment.engine.shares_kv_with_all &&
           (dialect == Dialect::chat || dialect == Dialect::completions);
}

/// The engine that `brigada up` runs: `model: brigada/NAME` without an address.
inline bool is_engine_of_up(const Deployment& deployment) {
    return deployment.provider == "brigada" && !deployment.address;
}

/// "d-" and 16 hex digits of what the deployment calls and how. The same entry has the same id
/// wherever it stands in the file. Secrets are left out, since ids are shown to clients.
std::string made_id(const Deployment& deployment);

/// The dialect in which a call goes to this deployment: its own where the deployment speaks it,
/// else the one that it is translated to. Nothing where it can be neither.
std::optional<Dialect> dialect_at(const Deployment& deployment, Dialect asked);

/// The model to ask this upstream for when a client asks for `requested`; nothing when the
/// deployment does not serve it. A name without '*' matches itself only.
std::optional<std::string> upstream_model_for(const Deployment& deployment,
                                              std::string_view requested);

}  // namespace brigada
