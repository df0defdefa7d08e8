// How many bytes of a model's weights lie on one rank of a deployment.
#pragma once

#include <cstdint>

#include "cost/deployment.h"

namespace brigada {

uint64_t rank_weight_bytes(const Deployment& deployment);

}  // namespace brigada
