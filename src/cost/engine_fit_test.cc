#include "cost/engine_fit.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

EngineFit ideal() {
    return {.mfu = 1, .mbu = 1, .step_s = 0, .layer_s = 0, .sequence_s = 0, .link_efficiency = 1};
}

/// A round machine: 1 TB/s, 100 Tflop/s, links of 100 GB/s.
Accelerator round_machine() {
    Accelerator a;
    a.name = "round";
    a.memory_bytes = 100'000'000'000;
    a.memory_bytes_per_s = 1e12;
    a.bf16_flops = 100e12;
    a.fp8_flops = 200e12;
    a.link_bytes_per_s = 100e9;
    a.link_domain = 8;
    return a;
}

/// Two layers of 10 M parameters each, 8 query heads on 2 KV heads of 100.
Placement small_placement() {
    LayerGeometry layer;
    layer.kv = HeadsKv{.kv_heads = 2, .key_dim = 100, .value_dim = 100};
    layer.heads = 8;
    layer.attention_params = 4'000'000;
    layer.dense_params = 6'000'000;
    Placement d;
    d.model.d_model = 1000;
    d.model.vocab = 5000;
    d.model.heads = 8;
    d.model.layers = {layer, layer};
    d.accelerator = round_machine();
    return d;
}

TEST(EngineFit, a_dense_model_by_hand) {
    const StepCoefficients c = step_coefficients(small_placement(), ideal());
    EXPECT_DOUBLE_EQ(c.flop_per_token, 2 * 20e6 / 100e12);
    EXPECT_DOUBLE_EQ(c.flop_per_sequence, 2 * 5e6 / 100e12);
    EXPECT_DOUBLE_EQ(c.flop_per_pair, 2 * 4 * 8 * 100 / 100e12);
    EXPECT_DOUBLE_EQ(c.flop_per_decode_pair, c.flop_per_pair);
    EXPECT_DOUBLE_EQ(c.weights_s, 2 * (20e6 + 5e6) / 1e12);
    EXPECT_DOUBLE_EQ(c.kv_per_token, 2 * 2 * 2 * 100 * 2 / 1e12);  // layers, K and V, heads, bf16
    EXPECT_EQ(c.comm_s, 0);
    EXPECT_EQ(c.experts, 0);
}

TEST(EngineFit, weights_in_8_bits_multiply_at_that_rate) {
    Placement d = small_placement();
    for (LayerGeometry& layer : d.model.layers)
        layer.attention_param_bytes = layer.dense_param_bytes = 1;
    const double stored_only = step_coefficients(d, ideal()).flop_per_token;
    d.model.compute = ComputeDtype::fp8;
    EXPECT_DOUBLE_EQ(step_coefficients(d, ideal()).flop_per_token, stored_only / 2);
    EXPECT_DOUBLE_EQ(step_coefficients(d, ideal()).weights_s, (20e6 + 2 * 5e6) / 1e12);
    d.accelerator.fp8_flops = 0;
    EXPECT_DOUBLE_EQ(step_coefficients(d, ideal()).flop_per_token, stored_only);
    d.model.compute = ComputeDtype::fp4;  // no fp4 there: widened to bf16
    EXPECT_DOUBLE_EQ(step_coefficients(d, ideal()).flop_per_token, stored_only);
}

TEST(EngineFit, a_window_bounds_what_a_token_sees) {
    Placement d = small_placement();
    const StepCoefficients full = step_coefficients(d, ideal());
    std::get<HeadsKv>(d.model.layers[1].kv).window = 128;
    const StepCoefficients c = step_coefficients(d, ideal());
    EXPECT_DOUBLE_EQ(c.flop_per_pair, full.flop_per_pair / 2);
    EXPECT_DOUBLE_EQ(c.flop_per_token, full.flop_per_token + 128 * full.flop_per_pair / 2);
    EXPECT_DOUBLE_EQ(c.kv_per_token, full.kv_per_token / 2);
    EXPECT_GT(c.state_per_sequence, 0);
}

TEST(EngineFit, a_latent_is_attended_to_as_it_lies) {
    Placement d = small_placement();
    for (LayerGeometry& layer : d.model.layers)
        layer.kv = LatentKv{.latent = 512, .rope = 64};
    EXPECT_DOUBLE_EQ(step_coefficients(d, ideal()).flop_per_pair,
                     2 * 8 * 2 * (2 * 512 + 64) / 100e12);
    EXPECT_EQ(step_coefficients(d, ideal()).flop_per_reread, 0);
    for (LayerGeometry& layer : d.model.layers)
        layer.kv = LatentKv{.latent = 512, .rope = 64, .indexer_heads = 4, .indexer_top = 2048};
    EXPECT_DOUBLE_EQ(step_coefficients(d, ideal()).flop_per_pair, 2 * 2 * 4 * 128 / 100e12);
}

TEST(EngineFit, prompts_expand_a_latent_and_decodes_do_not) {
    Placement d = small_placement();
    for (LayerGeometry& layer : d.model.layers)
        layer.kv = LatentKv{.latent = 512, .rope = 64, .nope = 128, .value_dim = 128};
    const StepCoefficients c = step_coefficients(d, ideal());
    EXPECT_DOUBLE_EQ(c.flop_per_decode_pair, 2 * 8 * 2 * (2 * 512 + 64) / 100e12);
    EXPECT_DOUBLE_EQ(c.flop_per_pair, 2 * 8 * 2 * (128 + 64 + 128) / 100e12);
    EXPECT_DOUBLE_EQ(c.flop_per_reread, 2 * 8 * 2 * 512 * (128 + 128) / 100e12);
}

TEST(EngineFit, ranks_share_the_work_and_talk) {
    Placement d = small_placement();
    const StepCoefficients alone = step_coefficients(d, ideal());
    d.tp = 4;
    const StepCoefficients c = step_coefficients(d, ideal());
    EXPECT_DOUBLE_EQ(c.flop_per_token, alone.flop_per_token / 4);
    EXPECT_DOUBLE_EQ(c.weights_s, alone.weights_s / 4);
    EXPECT_DOUBLE_EQ(c.kv_per_token, alone.kv_per_token / 2);  // 2 KV heads: one on each rank
    // Two all-reduces in each of two layers: 2 x 3/4 of 2,000 bytes a token at 100 GB/s.
    EXPECT_DOUBLE_EQ(c.comm_per_token, 4 * 1.5 * 2000 / 100e9);
    EXPECT_DOUBLE_EQ(c.comm_s, 4 * 11e-6);
}

TEST(EngineFit, experts_lie_apart_or_are_shared) {
    Placement d = small_placement();
    for (LayerGeometry& layer : d.model.layers) {
        layer.dense_params = 0;
        layer.expert_params = 1'000'000;
        layer.experts = 64;
        layer.experts_per_token = 4;
    }
    const StepCoefficients alone = step_coefficients(d, ideal());
    EXPECT_DOUBLE_EQ(alone.flop_per_token, 2 * 2 * (4e6 + 4e6) / 100e12);
    EXPECT_DOUBLE_EQ(alone.expert_s, 2 * 2e6 / 1e12);
    EXPECT_EQ(alone.experts, 64);
    EXPECT_EQ(alone.experts_per_token, 4);

    d.tp = 8;  // a slice of each expert
    const StepCoefficients sliced = step_coefficients(d, ideal());
    EXPECT_DOUBLE_EQ(sliced.expert_s, alone.expert_s / 8);
    EXPECT_EQ(sliced.experts, 64);

    d.tp = 1;  // whole experts, attention on each rank for its own sequences
    d.dp = d.ep = 8;
    const StepCoefficients apart = step_coefficients(d, ideal());
    EXPECT_DOUBLE_EQ(apart.expert_s, alone.expert_s);
    EXPECT_EQ(apart.experts, 8);
    EXPECT_EQ(apart.experts_per_token, 0.5);
    EXPECT_DOUBLE_EQ(apart.flop_per_token, alone.flop_per_token / 8);
    EXPECT_DOUBLE_EQ(apart.kv_per_token, alone.kv_per_token / 8);
    // There and back in two layers, half of the tokens to each rank: 7/8 of 1,000 bytes.
    EXPECT_DOUBLE_EQ(apart.comm_per_token, 4 * 7.0 / 8 * 2000 * 0.5 / 100e9);
}

}  // namespace
}  // namespace brigada
