// serve_gateway: the life of `brigada gateway`. It opens what is kept, listens, drains on the first
// signal and stops on the second.
#pragma once

#include <functional>

#include "base/result.h"
#include "gateway/config/gateway_config.h"

namespace brigada {

struct GatewayProgress {
    std::function<void(uint16_t port)> ready;
    std::function<void()> draining;
};

/// Returns when a signal has ended it: true when every running answer finished and the ledger is
/// whole. The caller has blocked SIGINT and SIGTERM before any thread began.
Result<bool> serve_gateway(GatewayConfig config, const GatewayProgress& progress);

}  // namespace brigada
