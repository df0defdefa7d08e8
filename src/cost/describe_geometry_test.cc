#include "cost/describe_geometry.h"

#include <gtest/gtest.h>

namespace brigada {

namespace {

TEST(DescribeGeometry, a_hybrid_model_shows_its_kinds_of_layers) {
    EXPECT_EQ("\n" + geometry_text(*find_geometry("qwen3.5-35b-a3b")), R"(
model         qwen3.5-35b-a3b (qwen3_5_moe_text)
parameters    35.10 B, of which a token passes 2.95 B
weights       65.38 GiB, 2 bytes a parameter, multiplied in bf16
shape         width 2048, 16 query heads, vocabulary 248320
context       262144 tokens
layers        30 x state that does not grow, 2.05 MiB a sequence
              10 x full attention, 2 KV heads of 256 + 256
feed-forward  40 x 8 of 256 experts of 3.1 M, 3.7 M for every token
bytes / token      bf16      fp8     q8_0     q4_0   fixed / sequence   tokens / block
  tp 1            20480    10240    10880     5760          61.41 MiB             1056
  tp 2            10240     5120     5440     2880          30.70 MiB             1056
  tp 4            10240     5120     5440     2880          15.35 MiB              528
  tp 8            10240     5120     5440     2880           7.68 MiB              272
  tp 16           10240     5120     5440     2880           3.84 MiB              144
assumed       the vision part has about 442 million parameters, estimated from vision_config
              1 layer(s) that predict further tokens (mtp_num_hidden_layers) are not counted
)");
}

TEST(DescribeGeometry, a_budget_adds_up) {
    Placement d{
        .model = *find_geometry("qwen3-32b"), .accelerator = *find_accelerator("h100"), .tp = 2};
    const MemoryBudget budget = *memory_budget(d);
    EXPECT_EQ("\n" + budget_text(d, budget), R"(
on            2 x H100 SXM 80GB, tp 2, KV in bf16
memory        71.26 GiB for the engine on each (0.9 of what there is)
- weights     30.51 GiB
- activations 1.41 GiB (256 sequences, steps of 2048 tokens)
- engine      0.55 GiB
= KV          38.79 GiB, 19860 blocks of 16 tokens
tokens        317760 of KV in the replica
)");
    const Json json = budget_json(d, budget);
    EXPECT_EQ(json.at("kv_tokens"), budget.kv_tokens);
    EXPECT_EQ(json.at("weight_bytes").get<uint64_t>() +
                  json.at("activation_bytes").get<uint64_t>() +
                  json.at("engine_bytes").get<uint64_t>() + json.at("kv_bytes").get<uint64_t>(),
              json.at("memory_bytes"));
}

TEST(DescribeGeometry, json_has_every_dtype_and_number_of_ranks) {
    const Json json = geometry_json(*find_geometry("deepseek-v3"));
    EXPECT_EQ(json.at("kv").size(), 4u);
    for (const auto& [dtype, ranks] : json.at("kv").items())
        EXPECT_EQ(ranks.size(), 5u) << dtype;
    EXPECT_EQ(json.at("kv").at("bf16").at("tp8").at("bytes_per_token"), 70'272);
    EXPECT_EQ(json.at("layers"),
              Json::array({"61 x latent attention (MLA), 512 + 64 for all heads"}));
}

}  // namespace

}  // namespace brigada
