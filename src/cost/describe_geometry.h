// A geometry, and what of it fits on a machine, as text for people and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "cost/placement.h"

namespace brigada {

/// Parameters, weights, layers by kind, bytes of KV by dtype and tensor parallel ranks, and what
/// was assumed.
std::string geometry_text(const ModelGeometry& model);
Json geometry_json(const ModelGeometry& model);

/// Where the memory of one rank goes, and the tokens of KV that fit.
std::string budget_text(const Placement& deployment, const MemoryBudget& budget);
Json budget_json(const Placement& deployment, const MemoryBudget& budget);

/// "10 x full attention, 2 KV heads of 256 + 256", one for each kind of layer, in order of first
/// appearance.
std::vector<std::string> layer_lines(const ModelGeometry& model);

}  // namespace brigada
