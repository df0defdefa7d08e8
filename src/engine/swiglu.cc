#include "engine/swiglu.h"

namespace brigada {

Result<std::unique_ptr<SwiGlu>> SwiGlu::load(WeightLoader& weights, const std::string& prefix) {
    TRY(Matrix gate, weights.matrix(prefix + "ffn_gate"));
    TRY(Matrix up, weights.matrix(prefix + "ffn_up"));
    TRY(Matrix down, weights.matrix(prefix + "ffn_down"));
    std::unique_ptr<SwiGlu> out(new SwiGlu(std::move(gate), std::move(up), std::move(down)));
    out->gate_bias_ = weights.optional_vector(prefix + "ffn_gate.bias");
    out->up_bias_ = weights.optional_vector(prefix + "ffn_up.bias");
    out->down_bias_ = weights.optional_vector(prefix + "ffn_down.bias");
    return out;
}

void SwiGlu::apply(size_t rows, const float* x, float* residual, ComputeContext& compute) {
    const size_t width = gate_.rows();
    gated_.resize(rows * width);
    upped_.resize(rows * width);
    const MatmulJob jobs[] = {{&gate_, gated_.data()}, {&up_, upped_.data()}};
    matmul(jobs, x, rows, compute.matmul_scratch(), compute.pool());

    const auto bias = [&](const std::vector<float>& bias_row, float* to) {
        if (!bias_row.empty())
            add_bias(compute.elementwise(), bias_row.data(),
                     {to, rows, bias_row.size(), bias_row.size()}, compute.pool());
    };
    bias(gate_bias_, gated_.data());
    bias(up_bias_, upped_.data());
    const Rows gated{gated_.data(), rows, width, width};
    silu_mul(compute.elementwise(), gated, Rows{upped_.data(), rows, width, width}, gated,
             compute.pool());
    matmul(down_, gated_.data(), rows, residual, compute.matmul_scratch(), compute.pool(),
           /*accumulate=*/true);
    bias(down_bias_, residual);
}

}  // namespace brigada
