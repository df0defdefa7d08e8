// The built-in catalogue of models: the fields of their config.json files that geometry_from_json
// reads, by the names that people type.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cost/geometry.h"

namespace brigada {

/// By name, without case and punctuation, with or without the organisation before it. A name that
/// is not in the catalogue but ends in -fp8, -nvfp4, -int4, -awq or -gptq is the model before that,
/// quantised as such files are. nullopt: not known.
Result<std::optional<ModelGeometry>> known_geometry(const std::string& name);

/// The fields of a model of known_models().
const Json& known_config(const std::string& name);

}  // namespace brigada
