#include "plan/quantised.h"

#include <algorithm>
#include <array>

#include "base/concat.h"

namespace brigada {

namespace {

struct WeightType {
    std::string_view name;
    double bytes;  // of a parameter, scales included
    ComputeDtype compute;
};

constexpr std::array kTypes = {
    WeightType{"bf16", 2, ComputeDtype::bf16}, WeightType{"fp8", 1, ComputeDtype::fp8},
    WeightType{"nvfp4", 0.5 + 1.0 / 16, ComputeDtype::fp4},   // a scale of 8 bits for 16 numbers
    WeightType{"int4", 0.5 + 2.5 / 128, ComputeDtype::bf16},  // scale and zero for 128 numbers
};

}  // namespace

Result<ModelGeometry> quantised(ModelGeometry model, std::string_view weights) {
    const auto* const type = std::ranges::find(kTypes, weights, &WeightType::name);
    if (type == kTypes.end())
        return Error{Code::invalid_argument,
                     concat("weights '", weights, "'; bf16, fp8, nvfp4 and int4 are known")};
    for (LayerGeometry& layer : model.layers) {
        layer.attention_param_bytes = type->bytes;
        layer.dense_param_bytes = type->bytes;
        layer.expert_param_bytes = type->bytes;
    }
    model.compute = type->compute;
    model.assumed.push_back(concat("weights in ", weights,
                                   ": computed, not read from a file; files of 4 bits were up to a "
                                   "quarter larger"));
    return model;
}

}  // namespace brigada
