// serve_gateway: the life of `brigada gateway`. It opens what is kept, listens, reads its
// configuration again on SIGHUP, drains on the first stop signal and stops on the second.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gateway/gateway.h"

namespace brigada {

struct GatewayProgress {
    std::function<void(uint16_t port)> ready;
    std::function<void()> draining;
    std::function<void(bool whole)> stopped;
    std::vector<std::string> warnings = {};  // of the configuration, for the log
};

/// Returns when a signal has ended it: true when every running answer finished and the ledger is
/// whole. `reread` is asked for the configuration when it shall be loaded anew. The caller has
/// blocked SIGINT, SIGTERM and SIGHUP before any thread began.
Result<bool> serve_gateway(GatewayConfig config, Gateway::ReadConfig reread,
                           const GatewayProgress& progress);

}  // namespace brigada
