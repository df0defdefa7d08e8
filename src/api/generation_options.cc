#include "api/generation_options.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/answer_format.h"

namespace brigada {

namespace {

namespace dom = simdjson::dom;

constexpr int64_t kMaxTokens = std::numeric_limits<int32_t>::max();

Result<Sampling> read_sampling(const JsonFields& fields, const SamplingDefaults& defaults) {
    Sampling out;
    TRY(auto temperature, fields.number("temperature", 0, 100));
    out.temperature = temperature ? static_cast<float>(*temperature)
                                  : defaults.temperature.value_or(out.temperature);
    TRY(auto top_p, fields.number("top_p", 0, 1));
    out.top_p = top_p ? static_cast<float>(*top_p) : defaults.top_p.value_or(out.top_p);
    TRY(auto min_p, fields.number("min_p", 0, 1));
    out.min_p = min_p ? static_cast<float>(*min_p) : defaults.min_p.value_or(out.min_p);
    TRY(auto top_k, fields.integer("top_k", -1, kMaxTokens));  // vLLM: -1 and 0 mean all
    out.top_k = top_k ? static_cast<uint32_t>(std::max<int64_t>(*top_k, 0))
                      : defaults.top_k.value_or(out.top_k);
    TRY(auto repetition, fields.number("repetition_penalty", 0.01, 100));
    out.repetition_penalty = repetition
                                 ? static_cast<float>(*repetition)
                                 : defaults.repetition_penalty.value_or(out.repetition_penalty);
    TRY(auto presence, fields.number("presence_penalty", -2, 2));
    out.presence_penalty = static_cast<float>(presence.value_or(0));
    TRY(auto frequency, fields.number("frequency_penalty", -2, 2));
    out.frequency_penalty = static_cast<float>(frequency.value_or(0));
    TRY(auto seed, fields.integer("seed", std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max()));
    if (seed) out.seed = static_cast<uint64_t>(*seed);
    return out;
}

Result<void> read_logit_bias(const JsonFields& fields, uint32_t vocab, Sampling& out) {
    TRY(auto bias, fields.object("logit_bias"));
    if (!bias) return {};
    for (auto [key, value] : *bias) {
        uint32_t id = 0;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
        if (error != std::errc() || end != key.data() + key.size() || id >= vocab)
            return Error{Code::invalid_argument,
                         concat("logit_bias: the key \"", key, "\" must be a token id from 0 to ",
                                vocab - 1)};
        double amount = 0;
        if (value.get(amount) != simdjson::SUCCESS || !(amount >= -100 && amount <= 100))
            return fields.wrong("logit_bias", "numbers from -100 to 100", value);
        out.logit_bias.emplace_back(TokenId{id}, static_cast<float>(amount));
    }
    return {};
}

Result<void> add_stop(const JsonFields& fields, dom::element value, const GenerationLimits& limits,
                      StopRules& out) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS || text.empty() || text.size() > limits.max_stop_bytes)
        return fields.wrong(
            "stop", concat("a string of 1 to ", limits.max_stop_bytes, " bytes or a list of them"),
            value);
    out.strings.emplace_back(text);
    return {};
}

Result<void> read_stop_strings(const JsonFields& fields, const GenerationLimits& limits,
                               StopRules& out) {
    const auto value = fields.find("stop");
    if (!value) return {};
    dom::array list;
    if (value->get(list) != simdjson::SUCCESS) return add_stop(fields, *value, limits, out);
    if (list.size() > limits.max_stops)
        return Error{Code::invalid_argument, concat("stop: ", list.size(), " strings; at most ",
                                                    limits.max_stops, " are taken")};
    for (dom::element stop : list)
        TRY(add_stop(fields, stop, limits, out));
    return {};
}

Result<StopRules> read_stop_rules(const JsonFields& fields, const GenerationLimits& limits) {
    StopRules out;
    TRY(read_stop_strings(fields, limits, out));
    TRY(auto ids, fields.array("stop_token_ids"));
    if (ids) {
        for (dom::element value : *ids) {
            TRY(TokenId id, read_token_id(fields, "stop_token_ids", value, limits.vocab));
            out.tokens.push_back(id);
        }
    }
    TRY(auto include, fields.boolean("include_stop_str_in_output"));
    out.include_in_output = include.value_or(false);
    TRY(auto ignore_eos, fields.boolean("ignore_eos"));
    out.ignore_eos = ignore_eos.value_or(false);
    TRY(auto least, fields.integer("min_tokens", 0, kMaxTokens));
    out.min_tokens = static_cast<uint32_t>(least.value_or(0));
    return out;
}

Result<void> read_streaming(const JsonFields& fields, GenerationOptions& out) {
    TRY(auto stream, fields.boolean("stream"));
    out.stream = stream.value_or(false);
    TRY(auto options, fields.object("stream_options"));
    if (!options) return {};
    if (!out.stream)
        return Error{Code::invalid_argument, "stream_options: only allowed with \"stream\": true"};
    TRY(auto usage, JsonFields(*options, "stream_options.").boolean("include_usage"));
    out.include_usage = usage.value_or(false);
    return {};
}

}  // namespace

Result<GenerationOptions> read_generation_options(const JsonFields& fields,
                                                  const SamplingDefaults& defaults,
                                                  const GenerationLimits& limits) {
    GenerationOptions out;
    TRY(out.sampling, read_sampling(fields, defaults));
    TRY(read_logit_bias(fields, limits.vocab, out.sampling));
    TRY(out.stop, read_stop_rules(fields, limits));
    TRY(read_streaming(fields, out));
    TRY(auto choices, fields.integer("n", 1, limits.max_choices));
    out.choices = static_cast<uint32_t>(choices.value_or(1));
    TRY(auto priority, fields.integer("priority", std::numeric_limits<int32_t>::min(),
                                      std::numeric_limits<int32_t>::max()));
    out.priority = static_cast<int32_t>(priority.value_or(0));
    TRY(auto user, fields.text("user"));
    out.user = std::move(user).value_or("");
    TRY(auto salt, fields.text("cache_salt"));
    if (salt && salt->empty())
        return Error{Code::invalid_argument, "cache_salt: must not be empty; leave it out instead"};
    out.cache_salt = std::move(salt).value_or("");
    TRY(auto session, fields.text("session_id"));
    out.session = std::move(session).value_or("");
    TRY(out.format, read_answer_format(fields));
    return out;
}

Result<std::optional<uint32_t>> read_max_tokens(const JsonFields& fields, std::string_view name) {
    TRY(auto value, fields.integer(name, 1, std::numeric_limits<int64_t>::max()));
    if (!value) return std::optional<uint32_t>();
    return std::optional(static_cast<uint32_t>(std::min(*value, kMaxTokens)));
}

}  // namespace brigada
