// GatewayWords: what a command line says about the front door, for `brigada gateway` and
// `brigada up`.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "base/result.h"
#include "gateway/config/load_config.h"
#include "gateway/serve_gateway.h"

namespace brigada {

struct GatewayWords {
    std::string config;  // "": nothing is configured
    std::string listen;
    std::string data_dir;
};

void add_gateway_options(CLI::App& command, GatewayWords& words);

/// The configuration as the words want it, and all that is to be warned of.
Result<LoadedConfig> understand(const GatewayWords& words);

/// "2 deployments, data in brigada-data".
std::string describe(const GatewayConfig& config);

/// One line for people.
void note(const std::string& line);

/// How serve_gateway() tells people where it is: `what` stands behind the address. People are told
/// nothing where the log's JSON lines go, which say the same.
GatewayProgress tell_gateway(const LoadedConfig& loaded, std::string what);

}  // namespace brigada
