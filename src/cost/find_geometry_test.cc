#include <gtest/gtest.h>

#include <filesystem>

#include "cost/kv_size.h"
#include "cost/test_configs.h"
#include "model/gguf.h"

namespace brigada {

namespace {

std::string testdata(const std::string& below) {
    return (std::filesystem::path(BRIGADA_TESTDATA) / below).string();
}

ModelGeometry found(const std::string& name) {
    Result<ModelGeometry> geometry = find_geometry(name);
    EXPECT_TRUE(geometry.ok()) << geometry.error().message;
    return geometry.ok() ? *std::move(geometry) : ModelGeometry();
}

// --- the catalogue ------------------------------------------------------------------------------

TEST(KnownModels, every_one_is_read) {
    EXPECT_EQ(known_models().size(), 78u);
    for (const std::string& name : known_models())
        EXPECT_EQ(found(name).name, name);
}

/// What tools/make_model_catalogue.py leaves out of a config changes nothing.
TEST(KnownModels, are_as_the_whole_files_say) {
    const std::map<std::string, std::string> pairs = {
        {"qwen3-32b", "Qwen__Qwen3-32B"},
        {"gpt-oss-120b", "openai__gpt-oss-120b"},
        {"llama-3.1-8b", "meta-llama__Llama-3.1-8B"},
        {"llama-4-scout", "meta-llama__Llama-4-Scout-17B-16E-Instruct"},
        {"qwen3.6-35b-a3b-nvfp4", "nvidia__Qwen3.6-35B-A3B-NVFP4"},
        {"kimi-k3", "moonshotai__Kimi-K3"},
        {"kimi-k2.7-code-nvfp4", "nvidia__Kimi-K2.7-Code-NVFP4"},
        {"deepseek-v4-flash", "deepseek-ai__DeepSeek-V4-Flash"},
        {"nemotron-super-49b", "nvidia__Llama-3_3-Nemotron-Super-49B-v1"},
        {"nemotron-3-nano-30b-a3b", "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"},
        {"gemma-4-26b-a4b", "google__gemma-4-26B-A4B"},
        {"mimo-v2-flash", "XiaomiMiMo__MiMo-V2-Flash"},
        {"minimax-m3", "MiniMaxAI__MiniMax-M3"},
        {"glm-5.2", "zai-org__GLM-5.2"},
        {"phi-3-mini-128k", "microsoft__Phi-3-mini"},
    };
    for (const auto& [name, file] : pairs) {
        SCOPED_TRACE(name);
        const ModelGeometry known = found(name);
        const ModelGeometry whole = test_geometry(file);
        EXPECT_EQ(known.layers, whole.layers);
        EXPECT_EQ(known.params(), whole.params());
        EXPECT_EQ(known.weight_bytes(), whole.weight_bytes());
        EXPECT_EQ(known.max_context, whole.max_context);
        EXPECT_EQ(known.assumed, whole.assumed);
    }
}

TEST(KnownModels, names_are_found_as_people_type_them) {
    EXPECT_EQ(found("Qwen/Qwen3-32B").name, "qwen3-32b");
    EXPECT_EQ(found("GPT-OSS-120B").name, "gpt-oss-120b");
    EXPECT_EQ(found("llama3.1 8b").name, "llama-3.1-8b");
    const auto unknown = find_geometry("qwen3-23b");
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().code, Code::not_found);
    EXPECT_EQ(
        unknown.error().message,
        "no model is called \"qwen3-23b\", and no file or folder is; the nearest are "
        "qwen3-32b, qwen3-32b-fp8, qwen3-235b-a22b; a config.json, a .gguf file or a folder with "
        "either does as well");
}

TEST(KnownModels, an_ending_quantises_a_model_that_is_not) {
    const ModelGeometry eight_bits = found("llama-3.3-70b-fp8");
    EXPECT_EQ(eight_bits.name, "llama-3.3-70b-fp8");
    EXPECT_NEAR(static_cast<double>(eight_bits.weight_bytes()) / (1 << 30), 67.7, 0.1);
    EXPECT_EQ(eight_bits.compute, ComputeDtype::fp8);
    const ModelGeometry four_bits = found("Qwen/Qwen3-32B-AWQ");
    EXPECT_NEAR(static_cast<double>(four_bits.weight_bytes()) / (1 << 30), 18.0, 0.2);
    EXPECT_EQ(four_bits.compute, ComputeDtype::bf16);
    EXPECT_FALSE(four_bits.assumed.empty());
    EXPECT_FALSE(find_geometry("gpt-oss-120b-awq").ok()) << "it is quantised as it is";
}

// --- files --------------------------------------------------------------------------------------

TEST(FindGeometry, a_gguf_file_is_read_with_its_exact_bytes) {
    const std::string folder = testdata("models/stories260K/gguf/stories260K-");
    for (const char* kind : {"f32", "q8_0", "ffn192-q4_0", "as-qwen2-f32"}) {
        SCOPED_TRACE(kind);
        const ModelGeometry g = found(folder + kind + ".gguf");
        const auto file = GgufFile::open(folder + kind + ".gguf");
        ASSERT_TRUE(file.ok());
        uint64_t params = 0, bytes = 0;
        for (const Tensor& tensor : file->tensors()) {
            params += tensor.elements();
            bytes += tensor.data.size();
        }
        EXPECT_EQ(g.params(), params);
        EXPECT_EQ(g.weight_bytes(), bytes);
        EXPECT_EQ(g.layers.size(), 5u);
        EXPECT_EQ(kv_size(g, KvDtype::bf16, 1).per_token, 5u * 2 * 4 * 8 * 2);
    }
}

/// Of every type there is, those that do not run here too: as many bytes as the package gguf
/// counts.
TEST(FindGeometry, a_gguf_file_of_any_type_is_read_with_its_exact_bytes) {
    const ModelGeometry g = found(testdata("quants/every-type.gguf"));
    const ModelGeometry split = found(testdata("quants/every-type-00002-of-00003.gguf"));
    EXPECT_EQ(split.layers, g.layers);
    EXPECT_EQ(split.weight_bytes(), g.weight_bytes());
    uint64_t params = 0, bytes = 0, of_experts = 0;
    for (const auto& row : test_csv("quants/bytes.csv")) {
        params += std::stoull(row.at("elements"));
        bytes += std::stoull(row.at("bytes"));
        if (row.at("tensor").ends_with("_exps.weight")) of_experts += std::stoull(row.at("bytes"));
    }
    EXPECT_EQ(g.params(), params);
    EXPECT_EQ(g.weight_bytes(), bytes);
    const LayerGeometry& layer = g.layers.front();
    EXPECT_EQ(layer.experts, 4u);
    EXPECT_NEAR(static_cast<double>(4 * layer.expert_params) * layer.expert_param_bytes,
                static_cast<double>(of_experts), 1);
}

TEST(FindGeometry, a_gguf_mixture_has_routed_experts) {
    const ModelGeometry g = found(testdata("models/stories260K/gguf/stories260K-moe4-q8_0.gguf"));
    EXPECT_TRUE(g.is_moe());
    EXPECT_EQ(g.layers[0].experts, 4u);
    EXPECT_GT(g.layers[0].expert_params, 0u);
    EXPECT_LT(g.active_params(), g.params());
}

TEST(FindGeometry, a_folder_is_read_with_the_bytes_of_its_weights) {
    const ModelGeometry wide = found(testdata("models/stories260K/hf"));
    const ModelGeometry narrow = found(testdata("models/stories260K/hf-bf16"));
    EXPECT_EQ(wide.params(), narrow.params());
    EXPECT_EQ(wide.weight_bytes(), wide.params() * 4);
    EXPECT_EQ(narrow.weight_bytes(), narrow.params() * 2);
    EXPECT_EQ(narrow.name, "hf-bf16");
}

TEST(FindGeometry, a_config_file_is_read) {
    const ModelGeometry g = found(testdata("models/configs/Qwen__Qwen3-8B.json"));
    EXPECT_EQ(g.params(), 8'190'735'360u);
    EXPECT_EQ(g.name, "Qwen__Qwen3-8B");
    EXPECT_EQ(find_geometry("./nowhere/config.json").error().message,
              "no file or folder is called \"./nowhere/config.json\"");
    const auto broken = find_geometry(testdata("cost/kv_bytes_per_token.csv"));
    ASSERT_FALSE(broken.ok());
    EXPECT_NE(broken.error().message.find("not valid JSON"), std::string::npos);
}

/// Row 26 of the worked examples: 35 x 4 bits are not 17.5 GB; the files have 20.4 GiB, a layer
/// that predicts further tokens among them.
TEST(FindGeometry, row_26_four_bits_are_more_than_half_a_byte) {
    const ModelGeometry q36 = found("qwen3.6-35b-a3b-nvfp4");
    EXPECT_NEAR(static_cast<double>(q36.weight_bytes()) / (1 << 30), 20.4, 0.4);
}

}  // namespace

}  // namespace brigada
