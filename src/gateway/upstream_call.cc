#include "gateway/upstream_call.h"

#include <fmt/format.h>
#include <xxh_x86dispatch.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/check.h"
#include "base/concat.h"
#include "base/json.h"

namespace brigada {

namespace {

/// Passed on as they came; what carries the client's own credentials never is. The trace context is
/// the witness's to pass on.
constexpr std::string_view kPassedOn[] = {
    "accept",     "anthropic-beta", "anthropic-version",      "openai-beta",
    "user-agent", "x-request-id",   "x-stainless-retry-count"};

constexpr std::string_view kAnthropicVersion = "2023-06-01";

/// Of one's own naming, and no secret of ours or of the client's.
bool is_forwarded(std::string_view name) {
    std::string lower;
    for (const char c : name)
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower.starts_with("x-") && lower != "x-api-key" && !lower.starts_with("x-litellm-") &&
           std::ranges::find(kPassedOn, lower) == std::end(kPassedOn);
}

void add_credentials(const Deployment& deployment, HttpHeaders& headers) {
    if (!deployment.api_key.empty()) {
        if (deployment.dialect == UpstreamDialect::anthropic)
            headers.add("x-api-key", deployment.api_key.reveal());
        else
            headers.add("Authorization", "Bearer " + deployment.api_key.reveal());
    }
    if (!deployment.organization.empty())
        headers.add("OpenAI-Organization", deployment.organization);
    for (const HeaderSetting& header : deployment.extra_headers)
        headers.add(header.name, header.value.reveal());
}

std::string upstream_target(const UpstreamAddress& address, std::string_view path) {
    std::string out = address.base_path;
    if (!out.ends_with("/v1")) out += "/v1";
    out += path;
    return out;
}

HttpCall call_to(const Deployment& deployment, std::shared_ptr<TlsContext> tls,
                 std::string_view path) {
    CHECK(deployment.address.has_value(), deployment.id);
    const UpstreamAddress& address = *deployment.address;
    CHECK((address.scheme == "https") == (tls != nullptr), deployment.id);
    return {.host = address.host,
            .port = address.port,
            .tls = std::move(tls),
            .target = upstream_target(address, path)};
}

}  // namespace

std::vector<Splice> upstream_edits(const CallBody& read, std::string_view model) {
    std::vector<Splice> splices;
    if (model != read.model) {
        splices.push_back(read.model_value);
        splices.back().text = dump_json(std::string(model));
    }
    if (read.usage_request) splices.push_back(*read.usage_request);
    if (read.cache_cut) splices.push_back(*read.cache_cut);
    put_in_order(splices);
    return splices;
}

std::string cache_salt(std::string_view tenant, std::string_view of_client) {
    const std::string both = concat(tenant.size(), ":", tenant, of_client);
    const XXH128_hash_t hash = XXH3_128bits(both.data(), both.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Splice salted(std::string_view body, const CallBody& read, std::string_view salt) {
    if (read.salt_value)
        return {.at = read.salt_value->at,
                .size = read.salt_value->size,
                .text = concat("\"", salt, "\"")};
    return {.at = body.find('{') + 1, .text = concat("\"cache_salt\":\"", salt, "\",")};
}

HttpCall upstream_call(const Deployment& deployment, std::shared_ptr<TlsContext> tls,
                       Dialect dialect, const HttpHeaders& client, bool forwards_all) {
    HttpCall out = call_to(deployment, std::move(tls), upstream_path(dialect));
    out.method = HttpMethod::post;
    out.headers.add("Content-Type", "application/json");
    for (const std::string_view name : kPassedOn)
        if (const auto value = client.get(name)) out.headers.add(name, *value);
    for (size_t i = 0; forwards_all && i < client.size(); ++i)
        if (is_forwarded(client[i].name)) out.headers.add(client[i].name, client[i].value);
    if (is_anthropic(dialect) && !client.has("anthropic-version"))
        out.headers.add("anthropic-version", kAnthropicVersion);
    add_credentials(deployment, out.headers);
    return out;
}

HttpCall upstream_check(const Deployment& deployment, std::shared_ptr<TlsContext> tls) {
    HttpCall out = call_to(deployment, std::move(tls), "/models");
    if (deployment.dialect == UpstreamDialect::anthropic)
        out.headers.add("anthropic-version", kAnthropicVersion);
    add_credentials(deployment, out.headers);
    return out;
}

}  // namespace brigada
