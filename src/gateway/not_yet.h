// What a configuration asks for that this build reads and does not do yet. Said at the start, so
// that nobody relies on it; the list shrinks as the front door grows.
#pragma once

#include <string>
#include <vector>

#include "gateway/config/gateway_config.h"

namespace brigada {

/// One line each: the key and what happens instead.
std::vector<std::string> not_yet(const GatewayConfig& config);

}  // namespace brigada
