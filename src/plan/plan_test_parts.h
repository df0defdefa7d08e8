// Models and situations for the tests of plan.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "cost/engine_fit.h"
#include "cost/geometry.h"
#include "plan/closed_form/situation.h"

namespace brigada {

inline constexpr double kTestGiB = 1024.0 * 1024 * 1024;

/// Attention in every layer and nothing else: KV is what is asked about.
inline ModelGeometry dense_model(uint32_t layers, uint32_t kv_heads, uint32_t head_dim) {
    ModelGeometry model;
    model.name = "example";
    model.d_model = 4096;
    model.heads = 64;
    model.max_context = 131'072;
    LayerGeometry layer;
    layer.kv = HeadsKv{.kv_heads = kv_heads, .key_dim = head_dim, .value_dim = head_dim};
    layer.heads = 64;
    layer.attention_params = 1'000'000;
    model.layers.assign(layers, layer);
    return model;
}

inline void set_weights(ModelGeometry& model, double bytes) {
    for (LayerGeometry& layer : model.layers) {
        layer.attention_params = 0;
        layer.dense_params =
            static_cast<uint64_t>(bytes / static_cast<double>(model.layers.size()));
        layer.dense_param_bytes = 1;
    }
}

/// "Qwen__Qwen3-32B", of testdata/models/configs.
inline ModelGeometry model_config(const std::string& name) {
    const std::filesystem::path path =
        std::filesystem::path(BRIGADA_TESTDATA) / "models/configs" / (name + ".json");
    Result<std::string> text = read_file(path, 1 << 20);
    EXPECT_TRUE(text.ok()) << path;
    Result<Json> json = parse_json(*text, name);
    EXPECT_TRUE(json.ok());
    Result<ModelGeometry> geometry = geometry_from_json(*json, name);
    EXPECT_TRUE(geometry.ok()) << geometry.error().message;
    return *std::move(geometry);
}

/// An 8B on something like an H100 with room for everybody.
inline Situation roomy_situation() {
    Situation out;
    out.workload = *find_workload("claude-code");
    out.people = 10;
    out.deployment.model = dense_model(32, 8, 128);
    set_weights(out.deployment.model, 8e9);
    Accelerator& card = out.deployment.accelerator;
    card.name = "test card";
    card.memory_bytes = uint64_t{80} << 30;
    card.memory_bytes_per_s = 3.35e12;
    card.bf16_flops = 989e12;
    card.link_bytes_per_s = 450e9;
    card.link_domain = 8;
    card.watts = 700;
    card.dollars_per_hour_low = 2;
    card.dollars_per_hour_high = 4;
    out.memory.kv_size = kv_size(out.deployment.model, KvDtype::bf16, 1);
    out.memory.kv = uint64_t{2048} << 30;
    out.memory.blocks = out.memory.kv / out.memory.kv_size.block_bytes();
    out.cost = StepCost(step_coefficients(out.deployment, EngineFit{}));
    return out;
}

}  // namespace brigada
