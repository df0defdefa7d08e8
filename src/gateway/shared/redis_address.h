// RedisAddress: where the Redis of all replicas is, as LiteLLM's settings say it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gateway/config/gateway_config.h"

namespace brigada {

struct RedisAddress {
    std::string host = {};
    uint16_t port = 6379;
    bool is_tls = false;
    std::string user = {};      // "": Redis' default user
    std::string password = {};  // "": none is asked for
    int64_t database = 0;

    friend bool operator==(const RedisAddress&, const RedisAddress&) = default;
};

/// Of redis_url, "redis://[user:]password@host:port/database" with percent-encoding (rediss:// is
/// TLS), or of
/// redis_host, redis_port and redis_password. Error::invalid_argument says what is wrong with it,
/// and shows no password.
Result<RedisAddress> redis_address(const RedisSettings& settings);

}  // namespace brigada
