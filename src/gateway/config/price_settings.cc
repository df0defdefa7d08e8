// Prices of a deployment as LiteLLM writes them: for a token and for a call, and for the tokens of
// calls whose prompt is long (input_cost_per_token_above_200k_tokens).
#include <algorithm>
#include <array>
#include <charconv>

#include "base/concat.h"
#include "gateway/config/deployment_parts.h"

namespace brigada {
namespace {

constexpr std::string_view kAbove = "_above_";
constexpr std::string_view kThousandTokens = "k_tokens";
constexpr int64_t kMostThousands = 1'000'000;

struct TokenPrice {
    std::string_view name;
    std::string PriceTexts::* text;
};
constexpr std::array kTokenPrices{
    TokenPrice{"input_cost_per_token", &PriceTexts::input},
    TokenPrice{"output_cost_per_token", &PriceTexts::output},
    TokenPrice{"cache_read_input_token_cost", &PriceTexts::cached_input},
    TokenPrice{"cache_creation_input_token_cost", &PriceTexts::cache_write}};

/// Of LiteLLM's price map: of services that are not called here.
constexpr std::array<std::string_view, 4> kOtherServices = {"_batches", "_flex", "_priority",
                                                            "_above_1hr"};

/// The tokens of "200k_tokens"; nothing for what is no threshold, or another way to write one.
std::optional<int64_t> threshold(std::string_view text) {
    if (!text.ends_with(kThousandTokens) || text.starts_with('0')) return std::nullopt;
    text.remove_suffix(kThousandTokens.size());
    int64_t thousands = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), thousands);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (thousands < 1 || thousands > kMostThousands) return std::nullopt;
    return thousands * 1'000;
}

/// The tier from `above_tokens` on; tiers stay in ascending order.
PriceTexts& tier(Deployment& out, int64_t above_tokens) {
    auto place =
        std::ranges::lower_bound(out.price_tiers, above_tokens, {}, &PriceTierTexts::above_tokens);
    if (place == out.price_tiers.end() || place->above_tokens != above_tokens)
        place = out.price_tiers.insert(place, {.above_tokens = above_tokens});
    return place->prices;
}

/// A key that goes on after the name of a price.
void read_longer_key(YamlFields& fields, const std::string& key, const TokenPrice& price,
                     Deployment& out) {
    const std::string_view rest = std::string_view(key).substr(price.name.size());
    const auto is_in = [&](std::string_view words) { return rest.contains(words); };
    if (std::ranges::any_of(kOtherServices, is_in)) {
        fields.unused({key}, concat("every call goes by ", price.name));
    } else if (rest.starts_with(kAbove)) {
        if (const auto above = threshold(rest.substr(kAbove.size())))
            fields.price(key, tier(out, *above).*price.text);
        else if (const auto value = fields.find(key))
            value->warn(concat("is ignored: a price above a length of prompt is written ",
                               price.name, "_above_<N>k_tokens, N from 1 to ", kMostThousands,
                               " thousand tokens"));
    }
}

}  // namespace

void read_prices(YamlFields& fields, Deployment& out) {
    fields.price("input_cost_per_request", out.prices.request);
    for (const TokenPrice& price : kTokenPrices) {
        fields.price(price.name, out.prices.*price.text);
        for (const std::string& key : fields.keys())
            if (key.size() > price.name.size() && key.starts_with(price.name))
                read_longer_key(fields, key, price, out);
    }
}

void check_prices(const YamlValue& params, const Deployment& deployment) {
    if (is_priced_by_hour(deployment)) return;
    const PriceTexts& prices = deployment.prices;
    if (deployment.engine.hourly_price && (prices.input.empty() || prices.output.empty()))
        params.warn(
            "tokens cost nothing: to price them by usd_per_hour, model_info.brigada needs "
            "prefill_tokens_per_second and total_decode_tokens_per_second");
    if (deployment.engine.measures_throughput)
        params.warn(
            "throughput: measured has no effect: it begins with declared figures, and needs a "
            "price of the hour, prefill_tokens_per_second and total_decode_tokens_per_second");
    for (const TokenPrice& price : kTokenPrices) {
        const bool falls_back = price.name.starts_with("cache_");  // to the price of input
        if (falls_back || !(prices.*price.text).empty()) continue;
        for (const PriceTierTexts& tier : deployment.price_tiers)
            if (!(tier.prices.*price.text).empty())
                return params.warn(concat("tokens of calls with up to ", tier.above_tokens,
                                          " prompt tokens cost nothing: ", price.name,
                                          " is not given, only the price above that"));
    }
}

}  // namespace brigada
