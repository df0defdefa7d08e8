#include "model/weight_names.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace brigada {
namespace {

std::string renamed(std::string_view name) {
    return name_from_hugging_face(name).value_or("nothing");
}

TEST(WeightNames, translates_hugging_face_names) {
    EXPECT_EQ(renamed("model.embed_tokens.weight"), "token_embd.weight");
    EXPECT_EQ(renamed("model.norm.weight"), "output_norm.weight");
    EXPECT_EQ(renamed("lm_head.weight"), "output.weight");
    EXPECT_EQ(renamed("model.layers.0.self_attn.q_proj.weight"), "blk.0.attn_q.weight");
    EXPECT_EQ(renamed("model.layers.17.self_attn.k_proj.bias"), "blk.17.attn_k.bias");
    EXPECT_EQ(renamed("model.layers.3.self_attn.q_norm.weight"), "blk.3.attn_q_norm.weight");
    EXPECT_EQ(renamed("model.layers.3.self_attn.o_proj.weight"), "blk.3.attn_output.weight");
    EXPECT_EQ(renamed("model.layers.3.input_layernorm.weight"), "blk.3.attn_norm.weight");
    EXPECT_EQ(renamed("model.layers.3.post_attention_layernorm.weight"), "blk.3.ffn_norm.weight");
    EXPECT_EQ(renamed("model.layers.3.mlp.down_proj.weight"), "blk.3.ffn_down.weight");
}

TEST(WeightNames, finds_the_text_model_inside_a_multimodal_one) {
    EXPECT_EQ(renamed("language_model.model.layers.2.mlp.up_proj.weight"), "blk.2.ffn_up.weight");
    EXPECT_EQ(renamed("model.language_model.layers.2.mlp.up_proj.weight"), "blk.2.ffn_up.weight");
    EXPECT_EQ(renamed("language_model.lm_head.weight"), "output.weight");
    EXPECT_EQ(renamed("vision_tower.transformer.layers.0.attention.q_proj.weight"), "nothing");
    EXPECT_EQ(renamed("model.multi_modal_projector.linear_1.weight"), "nothing");
    EXPECT_EQ(renamed("model.layers.0.self_attn.rotary_emb.inv_freq"), "nothing");
}

TEST(WeightNames, leaves_what_it_does_not_know) {
    for (const char* name :
         {"model.layers.0.mlp.experts.0.up_proj.weight", "model.layers..mlp.up_proj.weight",
          "model.layers.x.mlp.up_proj.weight", "model.layers.0", "model.layers.0.mlp", "",
          "score.weight"})
        EXPECT_EQ(renamed(name), name);
}

ModelConfig small() {
    ModelConfig c;
    c.vocab = 10;
    c.d_model = 8;
    c.layers = 2;
    c.heads = 4;
    c.kv_heads = 2;
    c.head_dim = 3;
    c.d_ff = 5;
    return c;
}

std::vector<uint64_t> shape_of(const ModelConfig& c, std::string_view name) {
    const auto needed = needed_weights(c);
    const auto at = std::ranges::find(needed, name, &NeededWeight::name);
    return at == needed.end() ? std::vector<uint64_t>() : at->shape;
}

TEST(WeightNames, knows_which_weights_a_config_needs) {
    ModelConfig c = small();
    EXPECT_EQ(needed_weights(c).size(), 3 + 2 * 9u);
    EXPECT_EQ(shape_of(c, "output.weight"), (std::vector<uint64_t>{10, 8}));
    EXPECT_EQ(shape_of(c, "blk.1.attn_q.weight"), (std::vector<uint64_t>{12, 8}));
    EXPECT_EQ(shape_of(c, "blk.1.attn_v.weight"), (std::vector<uint64_t>{6, 8}));
    EXPECT_EQ(shape_of(c, "blk.1.attn_output.weight"), (std::vector<uint64_t>{8, 12}));
    EXPECT_EQ(shape_of(c, "blk.1.ffn_down.weight"), (std::vector<uint64_t>{8, 5}));
    EXPECT_EQ(shape_of(c, "blk.2.ffn_down.weight"), (std::vector<uint64_t>{}));
    EXPECT_EQ(shape_of(c, "blk.0.attn_q.bias"), (std::vector<uint64_t>{}));
    c.tied_embeddings = c.qk_norm = c.qkv_bias = c.attention_output_bias = c.mlp_bias = true;
    EXPECT_EQ(needed_weights(c).size(), 2 + 2 * (9 + 2 + 3 + 1 + 3u));
    EXPECT_EQ(shape_of(c, "blk.0.attn_k_norm.weight"), (std::vector<uint64_t>{3}));
    EXPECT_EQ(shape_of(c, "blk.0.attn_k.bias"), (std::vector<uint64_t>{6}));
}

TEST(WeightNames, cuts_fused_weights_by_rows) {
    const ModelConfig c = small();
    std::vector<std::byte> qkv(24 * 8 * 2), bias(10 * 4);
    for (size_t i = 0; i < qkv.size(); ++i)
        qkv[i] = static_cast<std::byte>(i / 16);  // the row
    const auto cut = split_fused({{"blk.0.attn_qkv.weight", DType::f16, {24, 8}, qkv},
                                  {"blk.0.ffn_gate_up.bias", DType::f32, {10}, bias},
                                  {"token_embd.weight", DType::f16, {24, 8}, qkv}},
                                 c);
    ASSERT_TRUE(cut.ok()) << cut.error().message;
    ASSERT_EQ(cut->size(), 6u);
    EXPECT_EQ((*cut)[1].name, "blk.0.attn_k.weight");
    EXPECT_EQ((*cut)[1].shape, (std::vector<uint64_t>{6, 8}));
    EXPECT_EQ((*cut)[1].row(0)[0], std::byte{12});
    EXPECT_EQ((*cut)[2].row(5)[0], std::byte{23});
    EXPECT_EQ((*cut)[4].name, "blk.0.ffn_up.bias");
    EXPECT_EQ((*cut)[4].data.data(), bias.data() + 20);
    EXPECT_EQ((*cut)[5].name, "token_embd.weight");
}

TEST(WeightNames, names_a_fused_weight_that_does_not_add_up) {
    const std::vector<std::byte> data(23 * 8 * 2);
    const auto cut = split_fused({{"blk.0.attn_qkv.weight", DType::f16, {23, 8}, data}}, small());
    EXPECT_EQ(cut.error().message,
              "tensor \"blk.0.attn_qkv.weight\" has 23 rows; its parts need 24");
}

}  // namespace
}  // namespace brigada
