// model_list: the deployments. What litellm_params and model_info both may say, litellm_params
// says.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/concat.h"
#include "gateway/config/deployment_parts.h"
#include "gateway/config/sections.h"

namespace brigada {
namespace {

constexpr IntegerRange kLimit = {1, 1'000'000'000'000};

// Providers whose servers speak OpenAI's protocol, so that nothing needs to be said.
constexpr std::array<std::string_view, 12> kOpenAiSpeakers = {
    "openai",      "hosted_vllm",   "vllm",      "sglang",        "llamafile", "lm_studio",
    "ollama_chat", "litellm_proxy", "llama_cpp", "custom_openai", "brigada",   "openai_like"};

std::string upper(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

/// "openai/org/name" is provider and model; a model without provider is OpenAI's.
void split_model(const std::string& model, Deployment& out) {
    const size_t slash = model.find('/');
    out.provider = slash == model.npos ? "openai" : model.substr(0, slash);
    out.upstream_model = slash == model.npos ? model : model.substr(slash + 1);
}

void read_model(YamlFields& params, Deployment& out) {
    const auto model = params.require("model");
    const auto written = model ? model->text() : std::nullopt;
    if (!written) return;
    split_model(*written, out);
    std::string provider = out.provider;
    params.text("custom_llm_provider", provider);
    if (provider != out.provider) out.upstream_model = *written;
    out.provider = provider;
    if (out.upstream_model.empty()) model->must_be("PROVIDER/MODEL");
    if (out.provider == "anthropic")
        out.dialect = UpstreamDialect::anthropic;
    else if (std::ranges::count(kOpenAiSpeakers, out.provider) == 0)
        model->warn(concat("provider \"", out.provider,
                           "\" is called as a server that speaks OpenAI's protocol"));
}

void read_credential(YamlFields& params, const ConfigDraft& draft, Deployment& out) {
    const auto value = params.find("litellm_credential_name");
    const auto name = value ? value->text() : std::nullopt;
    if (!name) return;
    const auto found = std::ranges::find(draft.credentials, *name, &CredentialSettings::name);
    if (found == draft.credentials.end()) {
        value->error(concat("\"", *name, "\" is not in credential_list"));
        return;
    }
    out.api_key = found->api_key;
    out.address = found->address;
    out.organization = found->organization;
}

/// The variables that LiteLLM reads as well: OPENAI_API_KEY, OPENAI_API_BASE, OPENAI_BASE_URL. But
/// the provider's key goes to no address that the file names: it would give a hosted service's key
/// to an engine of one's own.
void fill_from_environ(const YamlValue& entry, const Environ& environment, Deployment& out) {
    const std::string prefix = upper(out.provider);
    if (out.api_key.empty() && !out.address)
        out.api_key = Secret(environment(prefix + "_API_KEY").value_or(""));
    if (!is_header_value(out.api_key.reveal()))
        entry.error(concat("the environment variable ", prefix,
                           "_API_KEY must not contain line "
                           "breaks or other control characters"));
    for (const std::string& name : {prefix + "_API_BASE", prefix + "_BASE_URL"}) {
        const auto text = out.address ? std::nullopt : environment(name);
        if (!text) continue;
        auto address = parse_upstream_address(*text);
        if (address.ok())
            out.address = *std::move(address);
        else
            entry.error(concat("the environment variable ", name, " ", address.error().message));
    }
}

/// RFC 9110's token.
bool is_header_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) ||
               std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c));
    });
}

void read_headers(const YamlValue& headers, Deployment& out) {
    for (const auto& [name, value] : headers.entries()) {
        if (!is_header_name(name)) value.error("is no name of a header");
        if (auto secret = read_header_secret(value))
            out.extra_headers.push_back({name, *std::move(secret)});
    }
}

void read_connection(YamlFields& params, ConfigDraft& draft, Deployment& out) {
    read_credential(params, draft, out);
    if (const auto key = params.find("api_key"))
        out.api_key = read_header_secret(*key).value_or(Secret());
    params.text("organization", out.organization);
    if (const auto base = params.find("api_base"))
        out.address = read_address(*base);
    else if (const auto url = params.find("base_url"))
        out.address = read_address(*url);
    out.tls = draft.config.tls;
    read_tls(params, out.tls);
    if (const auto headers = params.find("extra_headers")) read_headers(*headers, out);
}

void read_limits(YamlFields& fields, Deployment& out) {
    fields.integer("rpm", kLimit, out.rpm);
    fields.integer("tpm", kLimit, out.tpm);
    fields.integer("max_parallel_requests", kLimit, out.max_parallel);
}

void read_call_settings(YamlFields& params, Deployment& out) {
    params.integer("order", {}, out.order);
    params.texts("tags", out.tags);
    params.seconds("timeout", out.timeout);
    params.seconds("stream_timeout", out.stream_timeout);
    params.seconds("cooldown_time", out.cooldown);
    params.seconds("keepalive_seconds", out.keepalive);
    params.integer("max_retries", {0, 100}, out.max_retries);
    read_weight(params, out.weight_permille);
}

void name_what_has_no_effect(YamlFields& params) {
    params.unused({"mock_response"}, "answers come from upstreams only");
    params.unused({"api_version"}, "upstreams are called without a version");
    params.unused({"use_in_pass_through"}, "there are no pass-through routes");
    params.unused({"max_budget", "budget_duration"}, "budgets belong to keys, users and teams");
    params.unused({"temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "stop",
                   "reasoning_effort", "extra_body"},
                  "a call says this itself");
    params.unused({"drop_params", "additional_drop_params", "allowed_openai_params",
                   "merge_reasoning_content_in_choices"},
                  "calls go to the upstream as they came");
}

void read_params(const YamlValue& value, ConfigDraft& draft, Deployment& out) {
    YamlFields params(value);
    read_model(params, out);
    read_connection(params, draft, out);
    read_limits(params, out);
    read_call_settings(params, out);
    read_prices(params, out);
    name_what_has_no_effect(params);
    params.finish();
}

void check_name(const YamlValue& value, const Deployment& deployment) {
    const std::string& name = deployment.model_name;
    if (name.empty()) value.must_be("a name");
    if (std::ranges::count(name, '*') > 1 || std::ranges::count(deployment.upstream_model, '*') > 1)
        value.error("at most one '*' is understood, in the name and in the model");
    if (!name.contains('*') && deployment.upstream_model.contains('*'))
        value.error("the model has a '*', so the name needs one that says what it stands for");
}

void settle_id(const YamlValue& entry, const ConfigDraft& draft, Deployment& out) {
    const auto is_taken = [&](const std::string& id) {
        return std::ranges::count(draft.config.deployments, id, &Deployment::id) > 0;
    };
    if (!out.id.empty()) {
        if (is_taken(out.id))
            entry.error(concat("model_info.id \"", out.id, "\" is another deployment's already"));
        return;
    }
    const std::string made = made_id(out);
    out.id = made;
    for (int twin = 2; is_taken(out.id); ++twin)
        out.id = concat(made, "-", twin);
}

void read_deployment(const YamlValue& entry, ConfigDraft& draft) {
    Deployment out;
    YamlFields fields(entry);
    const auto name = fields.require("model_name");
    if (name) out.model_name = name->text().value_or("");
    read_limits(fields, out);
    if (const auto info = fields.find("model_info")) read_model_info(*info, out);
    const auto params = fields.require("litellm_params");
    if (params) read_params(*params, draft, out);
    fields.finish();
    if (!name || !params) return;
    settle_spoken(out);
    check_name(*name, out);
    check_prices(*params, out);
    fill_from_environ(entry, draft.environment, out);
    if (!out.address && !is_engine_of_up(out))
        params->warn(concat("is never called: it has no api_base, and ", upper(out.provider),
                            "_API_BASE is not set"));
    if (out.address && out.address->scheme == "https" && !out.tls.verifies)
        params->warn("ssl_verify is false: whoever answers there gets every prompt and the key");
    settle_id(entry, draft, out);
    draft.config.deployments.push_back(std::move(out));
}

}  // namespace

void read_model_list(const YamlValue& section, ConfigDraft& draft) {
    for (const YamlValue& entry : section.items())
        read_deployment(entry, draft);
}

}  // namespace brigada
