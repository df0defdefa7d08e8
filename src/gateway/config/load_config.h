// load_config: config.yaml and what it includes to a GatewayConfig, or to the list of what is
// wrong.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "gateway/config/config_files.h"
#include "gateway/config/gateway_config.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {

struct LoadedConfig {
    GatewayConfig config = {};
    std::vector<std::string> warnings = {};  // "FILE:LINE:COLUMN: KEY: what has no effect"
};

/// The configuration at `path`. Environment variables are asked of `environment` and nowhere else.
/// Error::invalid_argument has one line for each fault, at most kMaxConfigErrors, each beginning
/// with its place.
Result<LoadedConfig> load_config(const Path& path, const Environ& environment);

/// The same with files from elsewhere: for tests, and for a configuration that is sent.
Result<LoadedConfig> load_config(const Path& path, const Environ& environment,
                                 const ConfigFileReader& read);

/// The variable of this process.
std::optional<std::string> process_environment(std::string_view name);

}  // namespace brigada
