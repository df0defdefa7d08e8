#include "gateway/model_report.h"

#include "base/concat.h"

namespace brigada {

namespace {

/// For clients that compute in floats; the words beside it are exact.
double dollars(int64_t pico) {
    return static_cast<double>(pico) / 1e12;
}

void show_rates(const TokenRates& rates, std::string_view after, Json& out) {
    out[concat("input_cost_per_token", after)] = dollars(rates.input);
    out[concat("output_cost_per_token", after)] = dollars(rates.output);
    out[concat("cache_read_input_token_cost", after)] = dollars(rates.cached_input);
    out[concat("cache_creation_input_token_cost", after)] = dollars(rates.cache_write);
}

void show_price(const Price& price, Json& out) {
    show_rates(price.rates, "", out);
    for (const LongContextTier& tier : price.tiers)
        show_rates(tier.rates, concat("_above_", tier.above_tokens / 1'000, "k_tokens"), out);
    if (price.per_request > 0) out["input_cost_per_request"] = dollars(price.per_request);
}

Json model_json(const Upstream& upstream, Instant now) {
    const Deployment& deployment = *upstream.deployment;
    Json info = {{"id", deployment.id},
                 {"mode", deployment.mode},
                 {"price_arithmetic", price_words(deployment, upstream.throughput_at(now))}};
    const auto give = [&](const char* name, const std::optional<int64_t>& value) {
        if (value) info[name] = *value;
    };
    give("max_tokens", deployment.max_tokens);
    give("max_input_tokens", deployment.max_input_tokens);
    give("max_output_tokens", deployment.max_output_tokens);
    if (!deployment.base_model.empty()) info["base_model"] = deployment.base_model;
    show_price(upstream.price_at(now), info);
    return {{"model_name", deployment.model_name},
            {"litellm_params",
             {{"model", concat(deployment.provider, "/", deployment.upstream_model)}}},
            {"model_info", std::move(info)}};
}

}  // namespace

Json model_report(const UpstreamSet& upstreams, const Caller& caller, Instant now) {
    Json data = Json::array();
    for (const Upstream& upstream : upstreams.all())
        if (!caller.denies(upstream.deployment->model_name))
            data.push_back(model_json(upstream, now));
    return {{"data", std::move(data)}};
}

}  // namespace brigada
