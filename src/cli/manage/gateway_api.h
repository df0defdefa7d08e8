// GatewayApi: a running gateway's management API, as the commands call it: its address, the master
// key from the environment, and errors in words.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "net/fetch.h"

namespace brigada {

/// The value of an environment variable; empty when it is not set.
using Environment = std::function<std::string(const char* name)>;
std::string environment_of_process(const char* name);

/// Where `brigada gateway` listens unless told otherwise.
inline constexpr std::string_view kUsualGateway = "http://127.0.0.1:4000";

/// Name and value, not encoded; empty values are left out.
using ApiQuery = std::map<std::string, std::string>;

class GatewayApi {
  public:
    /// `url`, else BRIGADA_URL, else kUsualGateway; the key from BRIGADA_MASTER_KEY, else
    /// LITELLM_MASTER_KEY. Error::invalid_argument for no address, ::unauthenticated for no key.
    static Result<GatewayApi> open(std::string url, const Environment& environment);

    /// The answer of a call that was done; the Error has the gateway's own message.
    Result<Json> get(std::string_view path, const ApiQuery& query = {});
    Result<Json> post(std::string_view path, const Json& body);

    const std::string& url() const { return url_; }

  private:
    GatewayApi() : fetcher_(std::make_unique<Fetcher>()) {}
    Result<Json> call(HttpMethod method, std::string target, const std::string& body);
    Error refused(int status, std::string_view path, const Json& answer) const;

    std::string url_;
    std::string host_;
    uint16_t port_ = 0;
    std::string base_path_;
    std::string key_;
    std::string key_name_;  // the variable the key is from
    std::unique_ptr<Fetcher> fetcher_;
};

/// A part of a path or a query: "a b/c" to "a%20b%2Fc".
std::string percent_encoded(std::string_view text);

/// "/team/info" and {"team_id": "a b"} to "/team/info?team_id=a%20b".
std::string api_target(std::string_view path, const ApiQuery& query);

}  // namespace brigada
