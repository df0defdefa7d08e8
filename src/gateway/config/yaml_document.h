// parse_yaml: one YAML file as a tree that is safe to walk. yaml-cpp throws; its exceptions end
// here.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace brigada {

/// A configuration of ten thousand upstreams is about 2 MB.
inline constexpr size_t kMaxConfigBytes = 4 << 20;

/// LiteLLM's files nest 6 deep. An anchor that contains itself has no end, so depth finds it.
inline constexpr int kMaxYamlDepth = 32;

/// Values with every alias counted where it is used: a few aliases of aliases are billions.
inline constexpr int kMaxYamlValues = 200'000;

/// The one document of `text`; null when it is empty. Errors begin with `file` and, where known,
/// line and column.
///   too_large         more bytes, depth or values than above
///   invalid_argument  not YAML, or several documents
Result<YAML::Node> parse_yaml(std::string_view text, std::string_view file);

}  // namespace brigada
