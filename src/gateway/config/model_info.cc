// model_info: what is known of a deployment's model, and of the engine behind it.
#include <array>

#include "base/concat.h"
#include "gateway/config/decimal.h"
#include "gateway/config/deployment_parts.h"

namespace brigada {
namespace {

constexpr IntegerRange kTokens = {1, 1'000'000'000};

constexpr std::array<std::string_view, 4> kServedModes = {"chat", "completion", "embedding",
                                                          "responses"};

void read_mode(YamlFields& info, Deployment& out) {
    info.text("mode", out.mode);
    const auto value = info.find("mode");
    if (value && std::ranges::count(kServedModes, out.mode) == 0)
        value->warn(concat("\"", out.mode,
                           "\" is not served; chat, completion, embedding and responses are"));
}

void read_health_check(YamlFields& info, HealthCheckSettings& out) {
    info.text("health_check_model", out.model);
    info.seconds("health_check_timeout", out.timeout);
    info.integer("health_check_max_tokens", kTokens, out.max_tokens);
    bool is_off = !out.in_background;
    info.boolean("disable_background_health_check", is_off);
    out.in_background = !is_off;
}

void read_engine_facts(const YamlValue& value, EngineFactSettings& out) {
    YamlFields facts(value);
    facts.integer("prefill_tokens_per_second", kTokens, out.prefill_tokens_per_second);
    facts.integer("decode_tokens_per_second", kTokens, out.decode_tokens_per_second);
    facts.integer("kv_tokens", kTokens, out.kv_tokens);
    facts.dollars("usd_per_hour", out.hourly_price);
    facts.finish();
}

void read_limits(YamlFields& info, Deployment& out) {
    info.integer("max_tokens", kTokens, out.max_tokens);
    info.integer("max_input_tokens", kTokens, out.max_input_tokens);
    info.integer("max_output_tokens", kTokens, out.max_output_tokens);
}

/// What LiteLLM shows to people and decides nothing here.
void pass_over_descriptions(YamlFields& info) {
    for (const std::string& key : info.keys())
        if (key.starts_with("supports_")) info.find(key);
    for (const std::string_view key : {"description", "litellm_provider", "db_model", "team_id"})
        info.find(key);
}

/// The threshold of "<price>_above_200k_tokens", in tokens, and the name of the price.
struct TierKey {
    std::string price = {};
    int64_t above_tokens = 0;
};

std::optional<TierKey> parse_tier_key(std::string_view key) {
    constexpr std::string_view kAbove = "_above_";
    constexpr std::string_view kEnd = "k_tokens";
    const size_t at = key.find(kAbove);
    if (at == key.npos || !key.ends_with(kEnd)) return std::nullopt;
    const size_t from = at + kAbove.size();
    if (from + kEnd.size() >= key.size()) return std::nullopt;
    const auto thousands = scaled_decimal(key.substr(from, key.size() - kEnd.size() - from), 0);
    if (!thousands || *thousands < 1 || *thousands > 1'000'000) return std::nullopt;
    return TierKey{std::string(key.substr(0, at)), *thousands * 1000};
}

/// The tier from `above_tokens` on; tiers stay in ascending order.
PriceTexts& tier(Deployment& out, int64_t above_tokens) {
    auto place =
        std::ranges::lower_bound(out.price_tiers, above_tokens, {}, &PriceTierTexts::above_tokens);
    if (place == out.price_tiers.end() || place->above_tokens != above_tokens)
        place = out.price_tiers.insert(place, {.above_tokens = above_tokens});
    return place->prices;
}

/// Where a price of LiteLLM's name is kept; null for other names.
std::string* price_text(PriceTexts& prices, std::string_view name) {
    if (name == "input_cost_per_token") return &prices.input;
    if (name == "output_cost_per_token") return &prices.output;
    if (name == "cache_read_input_token_cost") return &prices.cached_input;
    if (name == "cache_creation_input_token_cost") return &prices.cache_write;
    return nullptr;
}

}  // namespace

void read_prices(YamlFields& fields, Deployment& out) {
    for (const std::string_view name :
         {"input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost",
          "cache_creation_input_token_cost"})
        fields.price(name, *price_text(out.prices, name));
    fields.price("input_cost_per_request", out.prices.request);
    for (const std::string& key : fields.keys()) {
        const auto found = parse_tier_key(key);
        PriceTexts ignored;
        if (!found || !price_text(ignored, found->price)) continue;
        fields.price(key, *price_text(tier(out, found->above_tokens), found->price));
    }
}

void read_weight(YamlFields& fields, std::optional<int64_t>& out) {
    const auto value = fields.find("weight");
    const auto text = value ? value->text() : std::nullopt;
    if (!text) return;
    const auto permille = scaled_decimal(*text, 3);
    if (permille && *permille >= 0 && *permille <= 1'000'000'000)
        out = permille;
    else
        value->must_be("a weight from 0 to a million, at most 3 digits after the point");
}

void read_model_info(const YamlValue& value, Deployment& out) {
    YamlFields info(value);
    info.text("id", out.id);
    read_mode(info, out);
    read_spoken(info, out);
    info.text("base_model", out.base_model);
    read_limits(info, out);
    info.texts("access_groups", out.access_groups);
    read_health_check(info, out.health_check);
    read_prices(info, out);
    if (const auto facts = info.find("brigada")) read_engine_facts(*facts, out.engine);
    pass_over_descriptions(info);
    info.finish();
}

}  // namespace brigada
