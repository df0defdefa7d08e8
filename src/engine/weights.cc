#include "engine/weights.h"

#include "base/check.h"
#include "kernels/quant_block.h"

namespace brigada {

WeightType weight_type(DType type) {
    switch (type) {
        case DType::f32:
            return WeightType::f32;
        case DType::f16:
            return WeightType::f16;
        case DType::bf16:
            return WeightType::bf16;
        case DType::q4_0:
            return WeightType::q4_0;
        case DType::q4_1:
            return WeightType::q4_1;
        case DType::q5_0:
            return WeightType::q5_0;
        case DType::q5_1:
            return WeightType::q5_1;
        case DType::q8_0:
            return WeightType::q8_0;
        case DType::q2_k:
            return WeightType::q2_k;
        case DType::q3_k:
            return WeightType::q3_k;
        case DType::q4_k:
            return WeightType::q4_k;
        case DType::q5_k:
            return WeightType::q5_k;
        case DType::q6_k:
            return WeightType::q6_k;
        default:
            break;
    }
    CHECK(false, "open_model refuses ", to_string(type));
}

WeightLoader::WeightLoader(const Model& model, Compute how, ComputeContext& compute,
                           WeightsProgress progress)
    : model_(model), how_(how), compute_(compute), progress_(std::move(progress)) {
    for (const Tensor& tensor : model.tensors())
        total_ += tensor.data.size();
}

Result<Matrix> WeightLoader::matrix(const std::string& name) {
    return matrix(model_.tensor(name + ".weight"));
}

Result<Matrix> WeightLoader::matrix(const Tensor& tensor) {
    auto made = Matrix::make(weight_type(tensor.dtype), tensor.rows(), tensor.cols(), tensor.data,
                             compute_.isa(), how_, compute_.pool());
    if (!made.ok()) return std::move(made).error().in(tensor.name);
    matrix_bytes_ += made->bytes();
    done_ += tensor.data.size();
    if (progress_ && !progress_(done_, total_))
        return Error{Code::cancelled, "loading was stopped"};
    return made;
}

std::vector<float> WeightLoader::vector(const std::string& name) const {
    const Tensor& tensor = model_.tensor(name);
    std::vector<float> out(tensor.elements());
    dequantise_row(weight_type(tensor.dtype), tensor.data, out);
    return out;
}

std::vector<float> WeightLoader::optional_vector(const std::string& name) const {
    return model_.find(name) ? vector(name) : std::vector<float>();
}

}  // namespace brigada
