// How many bytes of a model's weights lie on one rank of a deployment.
#pragma once

#include <cstdint>

#include "cost/placement.h"

namespace brigada {

uint64_t rank_weight_bytes(const Placement& deployment);

}  // namespace brigada
