// The doctor: a front door's set-up, looked at from all sides.
#pragma once

#include <functional>
#include <vector>

#include "gateway/config/load_config.h"
#include "gateway/doctor/finding.h"

namespace brigada {

/// Of the configuration at `path`, with what the command line changes of it. Never an error: what
/// is wrong is a finding. Waits for upstreams, some seconds at most.
std::vector<Finding> examine(const Path& path, const Environ& environment,
                             const std::function<Result<void>(GatewayConfig&)>& change);

}  // namespace brigada
