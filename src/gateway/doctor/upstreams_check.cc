// The upstreams: each deployment is asked for its models, with the key that calls would carry.
#include <algorithm>

#include "base/concat.h"
#include "base/json.h"
#include "gateway/doctor/checks.h"
#include "gateway/upstream_call.h"
#include "gateway/upstream_tls.h"
#include "net/fetch.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::seconds(5);
constexpr size_t kMostBytes = 16 << 20;

HttpCall models_call(const Deployment& deployment, const UpstreamTls& tls) {
    HttpCall call = upstream_check(deployment, tls.of(deployment));
    call.timeouts = {.connect = kPatience, .first_byte = kPatience, .total = kPatience * 2};
    return call;
}

std::string named(const Deployment& deployment) {
    return concat(deployment.model_name, " (", deployment.id, ") at ", deployment.address->host,
                  ":", deployment.address->port);
}

/// Nothing when the answer is no list of models.
std::optional<std::vector<std::string>> models_in(const std::string& body) {
    const auto json = parse_json(body, "the models");
    if (!json.ok() || !json->is_object() || !json->contains("data")) return std::nullopt;
    std::vector<std::string> out;
    for (const Json& model : (*json)["data"])
        if (model.is_object() && model.contains("id") && model["id"].is_string())
            out.push_back(model["id"].get<std::string>());
    return out;
}

void judge_models(const Deployment& deployment, const std::string& body, Findings& findings) {
    const std::string who = named(deployment);
    const auto models = models_in(body);
    if (!models) return findings.warn(who + ": answers, and lists no models", "try a call");
    const std::string& wanted = deployment.upstream_model;
    if (wanted.contains('*') || std::ranges::find(*models, wanted) != models->end())
        return findings.ok(concat(who, ": has ", wanted));
    std::string has;
    for (size_t i = 0; i < std::min<size_t>(models->size(), 5); ++i)
        has += concat(i == 0 ? "" : ", ", (*models)[i]);
    findings.fault(concat(who, ": has no model '", wanted, "'"),
                   concat("litellm_params.model: one of ", has.empty() ? "none" : has));
}

void judge(const Deployment& deployment, const Result<Fetched>& answer, Findings& findings) {
    const std::string who = named(deployment);
    if (!answer.ok())
        return findings.fault(concat(who, ": ", answer.error().message),
                              "start it, or correct its api_base");
    if (answer->status == 401 || answer->status == 403)
        return findings.fault(concat(who, ": refuses our key with ", answer->status),
                              "correct its api_key");
    if (answer->status == 404 || answer->status == 405)
        return findings.warn(concat(who, ": answers, and lists no models"), "try a call");
    if (answer->status != 200)
        return findings.warn(concat(who, ": answers ", answer->status, " when asked for models"),
                             "look into its log");
    judge_models(deployment, answer->body, findings);
}

}  // namespace

void check_upstreams(const GatewayConfig& config, Findings& findings) {
    const auto tls = UpstreamTls::open(config);
    if (!tls.ok())
        return findings.fault(tls.error().message, "correct ssl_verify or ssl_certificate");
    std::vector<const Deployment*> asked;
    std::vector<HttpCall> calls;
    for (const Deployment& deployment : config.deployments) {
        if (!deployment.address) {
            findings.warn(concat(deployment.model_name, " (", deployment.id, ") is never called"),
                          "give it an api_base that the front door can reach");
            continue;
        }
        asked.push_back(&deployment);
        calls.push_back(models_call(deployment, *tls));
    }
    if (config.deployments.empty())
        findings.warn("no deployments, so no model can be called", "fill model_list");
    Fetcher fetcher;
    const auto answers = fetcher.fetch_all(calls, kMostBytes);
    for (size_t i = 0; i < asked.size(); ++i)
        judge(*asked[i], answers[i], findings);
}

}  // namespace brigada
