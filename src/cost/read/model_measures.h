// ModelMeasures: the few numbers of a config.json that every part of a layer is read with, and the
// list of what had to be assumed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/read/architecture.h"
#include "cost/read/config_fields.h"

namespace brigada {

struct ModelMeasures {
    const ArchitectureTraits& traits;
    uint32_t d_model = 0;
    uint32_t layers = 0;
    uint32_t max_context = 0;
    std::vector<std::string> assumed;

    void assume(std::string sentence) { assumed.push_back(std::move(sentence)); }
};

}  // namespace brigada
