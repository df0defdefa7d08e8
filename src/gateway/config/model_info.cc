// model_info: what is known of a deployment's model, and of the engine behind it.
#include <array>

#include "base/concat.h"
#include "gateway/config/decimal.h"
#include "gateway/config/deployment_parts.h"

namespace brigada {
namespace {

constexpr IntegerRange kTokens = {1, 1'000'000'000};
constexpr Money kDearestHour = Money::dollars(1'000'000);

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

/// usd_per_hour of all GPUs, or gpu_dollars_per_hour of each of `gpus`.
void read_hourly_price(YamlFields& facts, EngineFactSettings& out) {
    facts.dollars("usd_per_hour", out.hourly_price);
    int64_t gpus = 1;
    facts.integer("gpus", {1, 100'000}, gpus);
    const auto of_one = facts.find("gpu_dollars_per_hour");
    const auto price = of_one ? of_one->dollars() : std::nullopt;
    if (!price) return;
    if (out.hourly_price)
        of_one->error("usd_per_hour, which is given too, is the price of all GPUs: one of the two");
    else if (price->nano > kDearestHour.nano / gpus)
        of_one->must_be("such that all GPUs together cost at most a million dollars an hour");
    else
        out.hourly_price = Money{price->nano * gpus};
}

void read_hour(YamlFields& facts, EngineFactSettings& out) {
    read_hourly_price(facts, out);
    facts.integer("total_decode_tokens_per_second", kTokens, out.total_decode_tokens_per_second);
    if (const auto busy = facts.find("busy_share")) {
        out.busy_permille = busy->permille();
        if (out.busy_permille == 0) busy->must_be("more than 0, at most 1");
    }
    facts.permille("cached_cost_share", out.cached_permille);
    facts.choice("throughput", {{"declared", false}, {"measured", true}}, out.measures_throughput);
}

void read_engine_facts(const YamlValue& value, EngineFactSettings& out) {
    YamlFields facts(value);
    facts.integer("prefill_tokens_per_second", kTokens, out.prefill_tokens_per_second);
    facts.integer("decode_tokens_per_second", kTokens, out.decode_tokens_per_second);
    facts.integer("kv_tokens", kTokens, out.kv_tokens);
    facts.choice("kv_shared_by", {{"tenant", false}, {"all", true}}, out.shares_kv_with_all);
    read_hour(facts, out);
    facts.finish();
}

void read_tokenizer(const YamlValue& value, TokenizerSettings& out) {
    YamlFields fields(value);
    const auto identifier = fields.require("identifier");
    const auto text = identifier ? identifier->text() : std::nullopt;
    if (text && text->empty())
        identifier->must_be("a tokenizer.json, a folder that has one, a .gguf, or a pulled model");
    out.identifier = text.value_or("");
    fields.text("revision", out.revision);
    fields.unused({"auth_token"},
                  "nothing is downloaded here: brigada model pull does, with HF_TOKEN");
    fields.finish();
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

}  // namespace

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
    if (const auto tokenizer = info.find("custom_tokenizer"))
        read_tokenizer(*tokenizer, out.tokenizer);
    if (const auto facts = info.find("brigada")) read_engine_facts(*facts, out.engine);
    pass_over_descriptions(info);
    info.finish();
}

}  // namespace brigada
