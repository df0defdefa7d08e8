// What any geometry must satisfy, whatever it was read from, so that sums over it fit 64 bits.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cost/geometry.h"

namespace brigada {

/// Error::corrupt: more parameters, or more KV in a sequence of the longest context, than is
/// believed.
Result<void> check_geometry(const ModelGeometry& geometry, std::string_view what);

}  // namespace brigada
