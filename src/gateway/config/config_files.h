// read_config_files: the configuration and all it includes, as YAML trees in reading order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "gateway/config/config_notes.h"
#include "gateway/config/yaml_reader.h"

namespace brigada {

/// The bytes of a file, at most kMaxConfigBytes; read_file() in production.
using ConfigFileReader = std::function<Result<std::string>(const Path& path)>;

/// Files of one configuration, all together.
inline constexpr size_t kMaxConfigFiles = 64;

struct ConfigFile {
    Path path = {};
    YAML::Node root = {};
};

/// A file stands before those it includes, whose paths are relative to it, so that what is included
/// adds to or replaces what was said. A file that includes itself, directly or not, is an error;
/// one that was read already is not read again. What cannot be read is noted; the rest is still
/// there.
std::vector<ConfigFile> read_config_files(const Path& path, const ConfigFileReader& read,
                                          const Environ& environment, ConfigNotes& notes);

}  // namespace brigada
