// Weights: a model's tensors made ready for the kernels: matrices repacked for this machine's
// instruction set, norms and biases as floats. Loading reports how far it is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute_context.h"
#include "kernels/matmul.h"
#include "model/model.h"

namespace brigada {

/// Told bytes of weights done and in all after each matrix; false ends the loading (cancelled).
using WeightsProgress = std::function<bool(uint64_t done, uint64_t total)>;

class WeightLoader {
  public:
    /// Borrows all of them. `progress` may be empty.
    WeightLoader(const Model& model, Compute how, ComputeContext& compute,
                 WeightsProgress progress);

    /// "blk.3.attn_q.weight" by matrix("blk.3.attn_q"). Errors name the tensor.
    Result<Matrix> matrix(const std::string& name);
    Result<Matrix> matrix(const Tensor& tensor);

    /// A norm or bias as floats; the tensor must be there.
    std::vector<float> vector(const std::string& name) const;

    /// Empty when the model has none.
    std::vector<float> optional_vector(const std::string& name) const;

    const ModelConfig& config() const { return model_.config(); }

    /// Of all matrices so far: bytes that one pass over them reads.
    uint64_t matrix_bytes() const { return matrix_bytes_; }

  private:
    const Model& model_;
    Compute how_;
    ComputeContext& compute_;
    WeightsProgress progress_;
    uint64_t done_ = 0;
    uint64_t total_ = 0;
    uint64_t matrix_bytes_ = 0;
};

WeightType weight_type(DType type);

}  // namespace brigada
