// SwiGlu: the feed-forward of llama, mistral and qwen: down(silu(gate(x)) * up(x)).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/layer.h"
#include "engine/weights.h"

namespace brigada {

class SwiGlu : public FeedForward {
  public:
    /// `prefix` is "blk.N.".
    static Result<std::unique_ptr<SwiGlu>> load(WeightLoader& weights, const std::string& prefix);

    void apply(size_t rows, const float* x, float* residual, ComputeContext& compute) override;

  private:
    SwiGlu(Matrix gate, Matrix up, Matrix down)
        : gate_(std::move(gate)), up_(std::move(up)), down_(std::move(down)) {}

    Matrix gate_, up_, down_;
    std::vector<float> gate_bias_, up_bias_, down_bias_;  // empty: none
    std::vector<float> gated_, upped_;                    // [rows][d_ff]
};

}  // namespace brigada
