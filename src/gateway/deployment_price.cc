#include "gateway/deployment_price.h"

#include "base/concat.h"
#include "base/money.h"

namespace brigada {

namespace {

/// The configuration has checked the texts.
int64_t pico(const std::string& text, int64_t otherwise = 0) {
    return text.empty() ? otherwise : parse_pico_dollars(text, "price").value();
}

/// As LiteLLM has it, a price of prompts that is left out is that of input.
TokenRates filled(const PriceTexts& texts, const std::optional<TokenRates>& hour) {
    const int64_t input = pico(texts.input, hour ? hour->input : 0);
    const bool is_by_hour = hour && texts.input.empty();
    return {.input = input,
            .cached_input = pico(texts.cached_input, is_by_hour ? hour->cached_input : input),
            .cache_write = pico(texts.cache_write, input),
            .output = pico(texts.output, hour ? hour->output : 0)};
}

/// A tier's price that is left out is that of the tier below.
PriceTexts filled(PriceTexts tier, const PriceTexts& below) {
    for (const auto text : {&PriceTexts::input, &PriceTexts::cached_input, &PriceTexts::cache_write,
                            &PriceTexts::output})
        if ((tier.*text).empty()) tier.*text = below.*text;
    return tier;
}

EngineHour hour_of(const EngineFactSettings& engine) {
    EngineHour out{.price = engine.hourly_price.value_or(Money{})};
    out.busy_permille = engine.busy_permille.value_or(out.busy_permille);
    out.cached_permille = engine.cached_permille.value_or(out.cached_permille);
    return out;
}

std::string percent(int64_t permille) {
    return permille % 10 == 0 ? concat(permille / 10, " %")
                              : concat(permille / 10, ".", permille % 10, " %");
}

/// "input: $0.0048 / 20000 tokens a second (declared) = $0.00000024 a token".
std::string quotient(std::string_view what, int64_t second, int64_t tokens_per_s,
                     const KnownThroughput& known, int64_t rate) {
    return concat(what, ": $", dollars_of_pico(second), " / ", tokens_per_s, " tokens a second (",
                  known.is_measured ? "measured" : "declared", ") = $", dollars_of_pico(rate),
                  " a token");
}

std::string as_given(std::string_view what, int64_t rate) {
    return concat(what, ": $", dollars_of_pico(rate), " a token, as the configuration says");
}

void say_hour(const Deployment& deployment, const KnownThroughput& known, const TokenRates& rates,
              std::vector<std::string>& lines) {
    const EngineHour hour = hour_of(deployment.engine);
    const int64_t second = second_of(hour);
    lines.push_back(concat("an hour costs $", decimal_dollars(hour.price), " and is busy for ",
                           percent(hour.busy_permille), ": / 3600 / ", percent(hour.busy_permille),
                           " = $", dollars_of_pico(second), " a busy second"));
    const PriceTexts& given = deployment.prices;
    if (given.input.empty())
        lines.push_back(
            quotient("input", second, known.throughput.prefill_tokens_per_s, known, rates.input));
    if (given.output.empty())
        lines.push_back(
            quotient("output", second, known.throughput.decode_tokens_per_s, known, rates.output));
    if (given.input.empty() && given.cached_input.empty())
        lines.push_back(concat("cached input: ", percent(hour.cached_permille), " of input = $",
                               dollars_of_pico(rates.cached_input), " a token"));
}

}  // namespace

std::optional<KnownThroughput> declared_throughput(const Deployment& deployment) {
    if (!is_priced_by_hour(deployment)) return std::nullopt;
    const EngineFactSettings& engine = deployment.engine;
    return KnownThroughput{{.prefill_tokens_per_s = *engine.prefill_tokens_per_second,
                            .decode_tokens_per_s = *engine.total_decode_tokens_per_second}};
}

Price price_of(const Deployment& deployment, const std::optional<KnownThroughput>& known) {
    std::optional<TokenRates> hour;
    if (known) hour = rates_of(hour_of(deployment.engine), known->throughput);
    Price out{.rates = filled(deployment.prices, hour),
              .per_request = pico(deployment.prices.request)};
    PriceTexts below = deployment.prices;
    for (const PriceTierTexts& tier : deployment.price_tiers) {
        below = filled(tier.prices, below);
        out.tiers.push_back({.above_tokens = tier.above_tokens, .rates = filled(below, hour)});
    }
    return out;
}

std::vector<std::string> price_words(const Deployment& deployment,
                                     const std::optional<KnownThroughput>& known) {
    const Price price = price_of(deployment, known);
    if (price == Price{}) return {"calls cost nothing: no price is given"};
    std::vector<std::string> lines;
    if (known) say_hour(deployment, *known, price.rates, lines);
    const PriceTexts& given = deployment.prices;
    if (!given.input.empty()) lines.push_back(as_given("input", price.rates.input));
    if (!given.cached_input.empty())
        lines.push_back(as_given("cached input", price.rates.cached_input));
    if (!given.cache_write.empty())
        lines.push_back(as_given("written to the cache", price.rates.cache_write));
    if (!given.output.empty()) lines.push_back(as_given("output", price.rates.output));
    for (const LongContextTier& tier : price.tiers)
        lines.push_back(concat("with more than ", tier.above_tokens, " prompt tokens: input $",
                               dollars_of_pico(tier.rates.input), ", cached input $",
                               dollars_of_pico(tier.rates.cached_input), ", output $",
                               dollars_of_pico(tier.rates.output), " a token"));
    if (price.per_request > 0)
        lines.push_back(concat("and $", dollars_of_pico(price.per_request), " a call"));
    return lines;
}

std::string dollars_of_pico(int64_t pico) {
    constexpr int64_t kDollar = 1'000'000'000'000;
    std::string fraction = concat(kDollar + pico % kDollar).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return fraction.empty() ? concat(pico / kDollar) : concat(pico / kDollar, ".", fraction);
}

}  // namespace brigada
