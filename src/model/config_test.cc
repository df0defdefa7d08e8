#include "model/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "model/gguf.h"
#include "model/gguf_writer.h"
#include "model/synthetic.h"
#include "model/test_files.h"

namespace brigada {
namespace {

Result<ModelConfig> published(const std::string& name) {
    TRY(std::string text, read_file(test_models() / "configs" / (name + ".json"), 1 << 20));
    TRY(Json json, parse_json(text, name));
    return config_from_json(json, name);
}

Json small_llama() {
    return {{"model_type", "llama"},    {"vocab_size", 300},
            {"hidden_size", 64},        {"intermediate_size", 96},
            {"num_hidden_layers", 4},   {"num_attention_heads", 8},
            {"num_key_value_heads", 2}, {"max_position_embeddings", 512}};
}

size_t windows_of(const ModelConfig& c, uint32_t tokens) {
    return static_cast<size_t>(
        std::ranges::count(c.layer_kinds, LayerKind(WindowAttention{tokens})));
}

TEST(ConfigFromJson, reads_llama_3_2) {
    const auto c = published("meta-llama__Llama-3.2-1B");
    ASSERT_TRUE(c.ok()) << c.error().message;
    EXPECT_EQ(c->architecture, Architecture::llama);
    EXPECT_EQ(c->vocab, 128'256u);
    EXPECT_EQ(c->d_model, 2048u);
    EXPECT_EQ(c->layers, 16u);
    EXPECT_EQ(c->heads, 32u);
    EXPECT_EQ(c->kv_heads, 8u);
    EXPECT_EQ(c->head_dim, 64u);
    EXPECT_EQ(c->d_ff, 8192u);
    EXPECT_EQ(c->max_context, 131'072u);
    EXPECT_FLOAT_EQ(c->norm_eps, 1e-5f);
    EXPECT_TRUE(c->tied_embeddings);
    EXPECT_FALSE(c->qk_norm || c->qkv_bias || c->attention_output_bias || c->mlp_bias);
    EXPECT_EQ(c->rope.theta, 500'000);
    EXPECT_EQ(c->rope.dims, 64u);
    EXPECT_EQ(c->rope.pairing, RopePairing::halves);
    EXPECT_EQ(c->rope.scaling, RopeScaling(RopeLlama3{32, 1, 4, 8192}));
    EXPECT_EQ(windows_of(*c, 0), 0u);
}

TEST(ConfigFromJson, reads_the_features_of_each_family) {
    const auto qwen2 = published("Qwen__Qwen2.5-7B-Instruct");
    ASSERT_TRUE(qwen2.ok()) << qwen2.error().message;
    EXPECT_TRUE(qwen2->qkv_bias);
    EXPECT_FALSE(qwen2->attention_output_bias || qwen2->qk_norm || qwen2->tied_embeddings);
    EXPECT_EQ(qwen2->head_dim, 128u);

    const auto qwen3 = published("Qwen__Qwen3-32B");
    ASSERT_TRUE(qwen3.ok()) << qwen3.error().message;
    EXPECT_TRUE(qwen3->qk_norm);
    EXPECT_FALSE(qwen3->qkv_bias);
    EXPECT_EQ(qwen3->head_dim, 128u);  // not 5120 / 64

    const auto nemo = published("mistralai__Mistral-Nemo-Instruct-2407");
    ASSERT_TRUE(nemo.ok()) << nemo.error().message;
    EXPECT_EQ(nemo->architecture, Architecture::mistral);
    EXPECT_EQ(nemo->head_dim, 128u);  // not 5120 / 32

    const auto smol = published("HuggingFaceTB__SmolLM-1.7B");
    ASSERT_TRUE(smol.ok()) << smol.error().message;
    EXPECT_EQ(smol->kv_heads, smol->heads);
}

TEST(ConfigFromJson, takes_the_text_model_of_a_multimodal_file) {
    const auto c = published("mistralai__Mistral-Small-3-24B-family");
    ASSERT_TRUE(c.ok()) << c.error().message;
    EXPECT_EQ(c->architecture, Architecture::mistral);
    EXPECT_EQ(c->layers, 40u);
    EXPECT_EQ(c->head_dim, 128u);
    EXPECT_EQ(c->rope.theta, 1e9);
    EXPECT_EQ(c->layer_kinds, std::vector<LayerKind>(40, FullAttention{}));
}

TEST(ConfigFromJson, gives_windows_to_the_layers_that_have_them) {
    EXPECT_EQ(windows_of(*published("mistralai__Mistral-7B-v0.1"), 4096), 32u);
    // A window is stated and not used.
    EXPECT_EQ(windows_of(*published("Qwen__Qwen2.5-7B-Instruct"), 131'072), 0u);

    Json qwen = small_llama();
    qwen.update({{"model_type", "qwen2"},
                 {"use_sliding_window", true},
                 {"sliding_window", 128},
                 {"max_window_layers", 3}});
    const auto upper = config_from_json(qwen, "c");
    ASSERT_TRUE(upper.ok()) << upper.error().message;
    EXPECT_EQ(upper->layer_kinds, (std::vector<LayerKind>{FullAttention{}, FullAttention{},
                                                          FullAttention{}, WindowAttention{128}}));

    qwen["layer_types"] = {"sliding_attention", "full_attention", "sliding_attention",
                           "full_attention"};
    EXPECT_EQ(config_from_json(qwen, "c")->layer_kinds,
              (std::vector<LayerKind>{WindowAttention{128}, FullAttention{}, WindowAttention{128},
                                      FullAttention{}}));
    qwen["use_sliding_window"] = false;
    EXPECT_EQ(windows_of(*config_from_json(qwen, "c"), 128), 0u);

    Json mistral = small_llama();
    mistral["model_type"] = "mistral";  // absent means transformers' default, null means none
    EXPECT_EQ(windows_of(*config_from_json(mistral, "c"), 4096), 4u);
    mistral["sliding_window"] = nullptr;
    EXPECT_EQ(windows_of(*config_from_json(mistral, "c"), 4096), 0u);
}

TEST(ConfigFromJson, reads_rope_under_its_old_and_new_names) {
    Json old_names = small_llama(), new_names = small_llama();
    old_names["rope_theta"] = 5e5;
    old_names["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
    new_names["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 5e5}};
    const auto a = config_from_json(old_names, "c"), b = config_from_json(new_names, "c");
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->rope, b->rope);
    EXPECT_EQ(a->rope.theta, 5e5);
    EXPECT_EQ(a->rope.scaling, RopeScaling(RopeLinear{4}));
}

TEST(ConfigFromJson, counts_the_context_that_yarn_adds) {
    Json config = small_llama();
    config["rope_scaling"] = {
        {"type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 512}};
    EXPECT_EQ(config_from_json(config, "c")->max_context, 2048u);
    config["max_position_embeddings"] = 2048;  // counted already
    EXPECT_EQ(config_from_json(config, "c")->max_context, 2048u);
}

TEST(ConfigFromJson, names_an_architecture_that_does_not_run) {
    const std::pair<const char*, const char*> refused[] = {
        {"deepseek-ai__DeepSeek-V3", "deepseek_v3"},
        {"google__gemma-2-2b", "gemma2"},
        {"Qwen__Qwen3-30B-A3B", "qwen3_moe"},
        {"openai__gpt-oss-20b", "gpt_oss"}};
    for (const auto& [file, type] : refused) {
        const auto c = published(file);
        ASSERT_FALSE(c.ok());
        EXPECT_EQ(c.error().code, Code::unsupported);
        EXPECT_EQ(c.error().message,
                  std::string(file) + ": architecture \"" + type +
                      "\" does not run here; llama, mistral, qwen2 and qwen3 do");
    }
}

struct Wrong {
    const char* key;
    Json value;  // null: the key is taken away
    const char* message;
    Code code = Code::corrupt;
};

TEST(ConfigFromJson, says_what_is_wrong) {
    const Wrong wrongs[] = {
        {"vocab_size", nullptr, "has no vocab_size"},
        {"vocab_size", -5, "vocab_size is number; an integer of 0 or more is needed"},
        {"vocab_size", "many", "vocab_size is string; an integer of 0 or more is needed"},
        {"vocab_size", 4'294'967'296, "vocab_size is 4294967296; at most 4294967295 is possible"},
        {"vocab_size", 0, "vocabulary is 0; 1 to 16777216 is possible"},
        {"num_hidden_layers", 4'000'000'000, "says it has 4000000000 layers"},
        {"num_attention_heads", 7,
         "num_attention_heads 7 does not divide hidden_size 64, and head_dim is absent"},
        {"num_attention_heads", 0,
         "num_attention_heads 0 does not divide hidden_size 64, and head_dim is absent"},
        {"num_key_value_heads", 3, "8 attention heads cannot share 3 KV heads evenly"},
        {"num_key_value_heads", 0, "KV heads is 0; 1 to 16384 is possible"},
        {"head_dim", 7, "RoPE turns 7 dimensions of a head; an even number up to 7 is possible"},
        {"rms_norm_eps", 0, "RMSNorm epsilon is 0; a small positive number is needed"},
        {"rope_theta", -1, "RoPE with base -1 and scaling none gives no finite frequencies"},
        {"partial_rotary_factor", 1.5,
         "partial_rotary_factor is 1.5; more than 0 and at most 1 is possible"},
        {"layer_types", Json::array({"full_attention"}), "says of 1 of 4 layers how they attend"},
        {"layer_types", Json::array({"linear_attention"}),
         "a layer of type \"linear_attention\" does not run here; full_attention and "
         "sliding_attention do",
         Code::unsupported},
        {"rope_scaling", "linear", "rope_scaling is string; an object is needed"},
        {"rope_scaling", Json{{"type", "linear"}}, "has no factor"},
        {"rope_scaling", Json{{"type", "mrope"}},
         "RoPE type \"mrope\" does not run here; default, linear, dynamic, llama3, yarn and "
         "longrope "
         "do",
         Code::unsupported},
        {"rope_scaling",
         Json{{"type", "longrope"}, {"short_factor", {1, 2}}, {"long_factor", {1, 2}}},
         "2 RoPE factors for 4 pairs of dimensions"},
        {"rope_scaling",
         Json{{"type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 0}},
         "original_max_position_embeddings is 0"},
        {"rope_scaling", Json{{"type", "dynamic"}, {"factor", 1e30}},
         "RoPE scaling dynamic x1e+30 from 512 makes a context of 5.12e+32 tokens"},
        {"rope_parameters", Json{{"full_attention", Json::object()}},
         "RoPE parameters of their own for \"full_attention\" layers do not run here",
         Code::unsupported},
        {"hidden_act", "gelu", "the activation \"gelu\" does not run here; silu does",
         Code::unsupported},
        {"quantization_config", Json{{"quant_method", "awq"}},
         "weights quantised by \"awq\" are not read; F32, F16 and BF16 safetensors and "
         "GGUF "
         "files are",
         Code::unsupported},
    };
    for (const Wrong& wrong : wrongs) {
        SCOPED_TRACE(wrong.message);
        Json config = small_llama();
        if (wrong.value.is_null())
            config.erase(wrong.key);
        else
            config[wrong.key] = wrong.value;
        const auto c = config_from_json(config, "c");
        ASSERT_FALSE(c.ok());
        EXPECT_EQ(c.error().message, std::string("c: ") + wrong.message);
        EXPECT_EQ(c.error().code, wrong.code);
    }
    EXPECT_EQ(config_from_json(Json::array(), "c").error().message,
              "c: is array; an object is needed");
}

// --- GGUF ---------------------------------------------------------------------------------------

Result<ModelConfig> of_gguf(const std::string& kind) {
    TRY(GgufFile file, GgufFile::open(test_gguf("stories260K", kind)));
    return config_from_gguf(file);
}

TEST(ConfigFromGguf, agrees_with_config_json_but_for_the_pairing) {
    const auto gguf = of_gguf("f32");
    ASSERT_TRUE(gguf.ok()) << gguf.error().message;
    const auto text = read_file(test_models() / "stories260K" / "hf" / "config.json", 1 << 20);
    const auto json = config_from_json(*parse_json(*text, "config"), "config");
    ASSERT_TRUE(json.ok()) << json.error().message;
    EXPECT_EQ(gguf->rope.pairing, RopePairing::adjacent);
    EXPECT_EQ(json->rope.pairing, RopePairing::halves);
    ModelConfig same = *gguf;
    same.rope.pairing = RopePairing::halves;
    same.name = json->name;
    EXPECT_EQ(same, *json);
}

TEST(ConfigFromGguf, reads_the_same_function_as_qwen2) {
    const auto c = of_gguf("as-qwen2-f32");
    ASSERT_TRUE(c.ok()) << c.error().message;
    EXPECT_EQ(c->architecture, Architecture::qwen2);
    EXPECT_EQ(c->rope.pairing, RopePairing::halves);
    EXPECT_TRUE(c->qkv_bias);
    EXPECT_TRUE(c->tied_embeddings);
}

TEST(ConfigFromGguf, refuses_a_mixture_of_experts) {
    const auto c = of_gguf("moe4-q8_0");
    ASSERT_FALSE(c.ok());
    EXPECT_EQ(c.error().code, Code::unsupported);
    EXPECT_NE(c.error().message.find("a mixture of 4 experts does not run here"), std::string::npos)
        << c.error().message;
}

/// A GGUF file of an embedding and these keys beside what every llama has.
std::vector<std::byte> llama_with(const std::function<void(GgufWriter&)>& add) {
    GgufWriter writer;
    writer.add_string("general.architecture", "llama");
    writer.add_u32("llama.context_length", 512);
    writer.add_u32("llama.embedding_length", 16);
    writer.add_u32("llama.block_count", 4);
    writer.add_u32("llama.feed_forward_length", 32);
    writer.add_u32("llama.attention.head_count", 2);
    writer.add_f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    writer.add_tensor("token_embd.weight", DType::f32, {8, 16}, std::vector<std::byte>(8 * 16 * 4));
    add(writer);
    return writer.to_bytes();
}

Result<ModelConfig> config_with(const std::function<void(GgufWriter&)>& add) {
    const auto bytes = llama_with(add);
    TRY(GgufFile file, GgufFile::parse(bytes, "x"));
    return config_from_gguf(file);
}

TEST(ConfigFromGguf, honours_the_frequency_factors_of_the_file) {
    const float factors[] = {1, 2, 4, 32};
    const auto c = config_with([&](GgufWriter& w) {
        const auto* p = reinterpret_cast<const std::byte*>(factors);
        w.add_tensor("rope_freqs.weight", DType::f32, {4}, {p, p + sizeof factors});
    });
    ASSERT_TRUE(c.ok()) << c.error().message;
    EXPECT_EQ(c->rope.scaling, RopeScaling(RopeFactors{{1, 2, 4, 32}}));
}

TEST(ConfigFromGguf, reads_every_kind_of_scaling) {
    const auto linear = config_with([](GgufWriter& w) { w.add_f32("llama.rope.scale_linear", 4); });
    EXPECT_EQ(linear->rope.scaling, RopeScaling(RopeLinear{4}));
    const auto yarn = config_with([](GgufWriter& w) {
        w.add_string("llama.rope.scaling.type", "yarn");
        w.add_f32("llama.rope.scaling.factor", 4);
        w.add_u32("llama.rope.scaling.original_context_length", 128);
    });
    EXPECT_EQ(yarn->rope.scaling, RopeScaling(RopeYarn{.factor = 4, .original_context = 128}));
    const auto unknown =
        config_with([](GgufWriter& w) { w.add_string("llama.rope.scaling.type", "spiral"); });
    EXPECT_EQ(unknown.error().message,
              "x: RoPE scaling \"spiral\" does not run here; none, linear, yarn and longrope do");
}

TEST(ConfigFromGguf, gives_windows_by_number) {
    const auto add_window = [](GgufWriter& w) { w.add_u32("llama.attention.sliding_window", 64); };
    EXPECT_EQ(windows_of(*config_with(add_window), 64), 4u);
    const auto every_second = config_with([&](GgufWriter& w) {
        add_window(w);
        w.add_u32("llama.attention.sliding_window_pattern", 2);
    });
    EXPECT_EQ(every_second->layer_kinds,
              (std::vector<LayerKind>{WindowAttention{64}, FullAttention{}, WindowAttention{64},
                                      FullAttention{}}));
}

TEST(ConfigFromGguf, says_what_is_wrong) {
    const auto message = [](const std::function<void(GgufWriter&)>& add) {
        const auto c = config_with(add);
        return c.ok() ? std::string("read") : c.error().message;
    };
    const std::vector<int32_t> heads_per_layer = {2, 2, 1, 2}, same_heads = {1, 1, 1, 1};
    EXPECT_EQ(message([&](GgufWriter& w) {
                  w.add_i32s("llama.attention.head_count_kv", heads_per_layer);
              }),
              "x: llama.attention.head_count_kv differs between layers, which does not run here");
    EXPECT_EQ(
        message([&](GgufWriter& w) { w.add_i32s("llama.attention.head_count_kv", same_heads); }),
        "read");
    EXPECT_EQ(message([](GgufWriter& w) { w.add_u32("llama.attention.value_length", 4); }),
              "x: keys of 8 and values of 4 numbers per head, which do not run here");
    EXPECT_EQ(message([](GgufWriter& w) { w.add_u32("llama.rope.dimension_count", 9); }),
              "x: RoPE turns 9 dimensions of a head; an even number up to 8 is possible");
    EXPECT_EQ(message([](GgufWriter& w) { w.add_string("llama.rope.freq_base", "10000"); }),
              "x: \"llama.rope.freq_base\" is of type string; a number is needed");

    GgufWriter mamba;
    mamba.add_string("general.architecture", "mamba");
    const auto bytes = mamba.to_bytes();
    EXPECT_EQ(config_from_gguf(*GgufFile::parse(bytes, "x")).error().message,
              "x: architecture \"mamba\" does not run here; llama, mistral, qwen2 and qwen3 do");
}

TEST(ConfigFromGguf, reads_back_a_synthetic_model) {
    ModelConfig c;
    c.architecture = Architecture::qwen3;
    c.name = "tiny";
    c.vocab = 260;
    c.d_model = 32;
    c.layers = 3;
    c.heads = 4;
    c.kv_heads = 2;
    c.head_dim = 16;
    c.d_ff = 64;
    c.max_context = 128;
    c.norm_eps = 1e-6f;
    c.qk_norm = true;
    c.rope = Rope{.theta = 1e6, .dims = 16};
    c.layer_kinds.assign(3, FullAttention{});
    const auto bytes = synthetic_gguf(c, {}).to_bytes();
    const auto read = config_from_gguf(*GgufFile::parse(bytes, "x"));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, c);
}

}  // namespace
}  // namespace brigada
