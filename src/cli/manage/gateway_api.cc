#include "cli/manage/gateway_api.h"

#include <cctype>
#include <cstdlib>

#include "base/concat.h"
#include "gateway/config/upstream_address.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::seconds(60);

/// The sentence of an error envelope; empty when it is none.
std::string message_of(const Json& answer) {
    if (!answer.is_object() || !answer.contains("error")) return {};
    const Json& error = answer["error"];
    if (!error.is_object()) return {};
    const auto message = error.find("message");
    return message != error.end() && message->is_string() ? message->get<std::string>() : "";
}

Code code_of(int status) {
    switch (status) {
        case 400:
            return Code::invalid_argument;
        case 404:
            return Code::not_found;
        case 503:
            return Code::unavailable;
        default:
            return Code::internal;
    }
}

}  // namespace

std::string environment_of_process(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || std::string_view("-._~").contains(c))
            out += c;
        else
            out += fmt::format("%{:02X}", byte);
    }
    return out;
}

std::string api_target(std::string_view path, const ApiQuery& query) {
    std::string out(path);
    char separator = '?';
    for (const auto& [name, value] : query) {
        if (value.empty()) continue;
        out += concat(separator, name, "=", percent_encoded(value));
        separator = '&';
    }
    return out;
}

Result<GatewayApi> GatewayApi::open(std::string url, const Environment& environment) {
    GatewayApi out;
    const std::string given = url.empty() ? environment("BRIGADA_URL") : std::move(url);
    out.url_ = given.empty() ? std::string(kUsualGateway) : given;
    auto address = parse_upstream_address(out.url_);
    if (!address.ok())
        return std::move(address).error().in("the gateway's address (--url or BRIGADA_URL)");
    if (address->scheme != "http")
        return Error{Code::unsupported,
                     "https to the gateway is not spoken yet; ask it by http on its own machine"};
    out.host_ = address->host;
    out.port_ = address->port;
    out.base_path_ = address->base_path;
    for (const char* name : {"BRIGADA_MASTER_KEY", "LITELLM_MASTER_KEY"}) {
        out.key_ = environment(name);
        out.key_name_ = name;
        if (!out.key_.empty()) return out;
    }
    return Error{Code::unauthenticated,
                 "no master key: put the gateway's into BRIGADA_MASTER_KEY (or LITELLM_MASTER_KEY) "
                 "of the environment"};
}

Result<Json> GatewayApi::get(std::string_view path, const ApiQuery& query) {
    return call(HttpMethod::get, api_target(path, query), "");
}

Result<Json> GatewayApi::post(std::string_view path, const Json& body) {
    return call(HttpMethod::post, std::string(path), dump_json(body));
}

Result<Json> GatewayApi::call(HttpMethod method, std::string target, const std::string& body) {
    HttpCall call{.method = method,
                  .host = host_,
                  .port = port_,
                  .target = base_path_ + target,
                  .timeouts = {.first_byte = kPatience}};
    call.headers.add("Authorization", concat("Bearer ", key_));
    if (!body.empty()) {
        call.headers.add("Content-Type", "application/json");
        call.body = {body};
    }
    auto answer = fetcher_->fetch(call);
    if (!answer.ok())
        return Error{answer.error().code,
                     concat("no gateway answers at ", url_, " (", answer.error().message,
                            "); is it running? Say where it is with --url or BRIGADA_URL")};
    auto json = parse_json(answer->body, "the answer");
    if (answer->status == 200 && json.ok()) return json;
    return refused(answer->status, target.substr(0, target.find('?')), json.ok() ? *json : Json());
}

Error GatewayApi::refused(int status, std::string_view path, const Json& answer) const {
    const std::string message = message_of(answer);
    if (status == 401)
        return {Code::unauthenticated,
                concat("the gateway at ", url_, " does not know the key in ", key_name_)};
    if (status == 403)
        return {Code::forbidden, concat("the key in ", key_name_, " is not the master key of ",
                                        url_, ", and no other may do this")};
    if (message.empty() || message.starts_with("no such path"))
        return {Code::unsupported, concat(url_,
                                          " answers, but not as a brigada gateway of this "
                                          "version: ",
                                          status, " for ", path)};
    return {code_of(status), message};
}

}  // namespace brigada
