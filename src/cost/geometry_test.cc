#include "cost/geometry.h"

#include <cmath>

#include "base/rng.h"
#include "cost/known_models.h"
#include "cost/test_configs.h"

namespace brigada {

namespace {

// --- against what others say --------------------------------------------------------------------

struct Published {
    const char* config;
    uint64_t params;
};

/// The number of parameters that the hub shows for the published weights.
constexpr Published kExact[] = {
    {"meta-llama__Llama-3.1-8B", 8'030'261'248},
    {"meta-llama__Llama-3.1-70B", 70'553'706'496},
    {"meta-llama__Llama-3.1-405B", 405'853'388'800},
    {"meta-llama__Llama-3.2-1B", 1'235'814'400},
    {"meta-llama__Llama-3.2-3B", 3'212'749'824},
    {"meta-llama__Llama-2-7b-hf", 6'738'415'616},
    {"Qwen__Qwen2.5-7B-Instruct", 7'615'616'512},
    {"Qwen__Qwen3-0.6B", 596'049'920},
    {"Qwen__Qwen3-8B", 8'190'735'360},
    {"Qwen__Qwen3-32B", 32'762'123'264},
    {"Qwen__Qwen3-30B-A3B", 30'532'122'624},
    {"Qwen__Qwen3-235B-A22B", 235'093'634'560},
    {"mistralai__Mistral-7B-v0.1", 7'241'732'096},
    {"mistralai__Mistral-Nemo-Instruct-2407", 12'247'782'400},
    {"mistralai__Mixtral-8x7B-v0.1", 46'702'792'704},
    {"openai__gpt-oss-20b", 20'914'757'184},
    {"openai__gpt-oss-120b", 116'829'156'672},
    {"google__gemma-2-2b", 2'614'341'888},
    {"google__gemma-2-9b", 9'241'705'984},
    {"google__gemma-3-text", 999'885'952},
    {"microsoft__phi-4", 14'659'507'200},
    {"CohereForAI__c4ai-command-r-v01", 34'980'831'232},
    {"HuggingFaceTB__SmolLM-1.7B", 1'711'376'384},
    {"ai21labs__AI21-Jamba-1.5-Mini", 51'570'323'328},
    {"nvidia__Llama-3_3-Nemotron-Super-49B-v1", 49'867'145'216},
};

TEST(Geometry, parameters_are_exactly_those_published) {
    for (const Published& model : kExact)
        EXPECT_EQ(test_geometry(model.config).params(), model.params) << model.config;
}

struct Named {
    const char* config;
    double total, active;   // thousand millions, as the makers say; 0: they do not
    bool counts_embedding;  // among the active ones
};

constexpr Named kNamed[] = {
    {"Qwen__Qwen3-30B-A3B", 30.5, 3.3, true},
    {"Qwen__Qwen3-235B-A22B", 235, 22, true},
    {"Qwen__Qwen3-Coder-480B-A35B-Instruct", 480, 35, true},
    {"Qwen__Qwen3.5-397B-A17B", 397, 17, true},
    {"Qwen__Qwen3.5-122B-A10B", 122, 10, true},
    {"Qwen__Qwen3.5-35B-A3B", 35, 3, false},
    {"Qwen__Qwen3.5-27B", 27, 27, true},
    {"deepseek-ai__DeepSeek-V3", 671, 37, true},
    {"deepseek-ai__DeepSeek-V2-Lite", 15.7, 2.4, false},
    {"deepseek-ai__DeepSeek-V3.2", 671, 37, true},
    {"deepseek-ai__DeepSeek-V4-Flash", 284, 13, true},
    {"deepseek-ai__DeepSeek-V4-Pro", 1600, 49, true},
    {"moonshotai__Kimi-K2-Instruct", 1000, 32, false},
    {"openai__gpt-oss-120b", 117, 5.1, false},
    {"openai__gpt-oss-20b", 21, 3.6, false},
    {"meta-llama__Llama-4-Scout-17B-16E-Instruct", 109, 17, true},
    {"meta-llama__Llama-4-Maverick-17B-128E-Instruct", 400, 17, true},
    {"mistralai__Mixtral-8x7B-v0.1", 46.7, 12.9, true},
    {"mistralai__Mixtral-8x22B-v0.1", 141, 39, true},
    {"MiniMaxAI__MiniMax-M2.5", 230, 10, true},
    {"XiaomiMiMo__MiMo-V2-Flash", 309, 15, true},
    {"zai-org__GLM-4.5-Air", 106, 12, true},
    {"zai-org__GLM-5", 744, 40, true},
    {"google__gemma-4-26B-A4B", 26, 4, false},
    {"nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31.6, 3.2, false},
    {"nvidia__NVIDIA-Nemotron-3-Super-120B-A12B-FP8", 120, 12, true},
    {"nvidia__Nemotron-H-56B-Base-8K", 56, 56, true},
    {"nvidia__Qwen3.6-35B-A3B-NVFP4", 35, 3, false},
    {"mistralai__Mistral-Small-3-24B-family", 24, 24, true},
    {"google__gemma-3", 27, 27, true},
    {"stepfun-ai__Step-3.7-Flash", 196, 11, true},
    {"moonshotai__Kimi-K2.5", 1000, 32, false},
};

/// Names are rounded, and what counts as active differs: within 6 % of the total, 12 % of the
/// active ones.
TEST(Geometry, parameters_are_those_in_the_models_names) {
    for (const Named& model : kNamed) {
        SCOPED_TRACE(model.config);
        const ModelGeometry g = test_geometry(model.config);
        const auto active = static_cast<double>(g.active_params() +
                                                (model.counts_embedding ? g.output_params() : 0));
        EXPECT_NEAR(static_cast<double>(g.params()) / 1e9, model.total, model.total * 0.06);
        EXPECT_NEAR(active / 1e9, model.active, model.active * 0.12);
    }
}

TEST(Geometry, every_config_is_read) {
    int files = 0;
    const auto folder = std::filesystem::path(BRIGADA_TESTDATA) / "models" / "configs";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const ModelGeometry g = test_geometry(entry.path().stem().string());
        EXPECT_FALSE(g.layers.empty());
        EXPECT_GT(g.weight_bytes(), 0u);
        ++files;
    }
    EXPECT_EQ(files, 71);
}

/// What vLLM derives from the files of the same models.
TEST(Geometry, is_what_vllm_derives) {
    const std::map<std::string, std::string> files = {
        {"lmsys/gpt-oss-20b-bf16", "openai__gpt-oss-20b"},
        {"deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-ai__DeepSeek-V3.2"},
        {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "meta-llama__Llama-4-Scout-17B-16E-Instruct"},
        {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", "nvidia__Llama-3_3-Nemotron-Super-49B-v1"},
        {"stepfun-ai/Step-3.5-Flash", "stepfun-ai__Step-3.7-Flash"},
        {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
         "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"},
    };
    const Json truth = test_json("cost/vllm_architectures.json");
    for (const auto& [name, file] : files) {
        SCOPED_TRACE(name);
        const Json& row = truth.at(name);
        const ModelGeometry g = test_geometry(file);
        EXPECT_EQ(g.d_model, row.at("hidden_size"));
        EXPECT_EQ(g.layers.size(), row.at("total_num_hidden_layers"));
        EXPECT_EQ(g.heads, row.at("total_num_attention_heads"));
        EXPECT_EQ(g.vocab, row.at("vocab_size"));
        for (const LayerGeometry& layer : g.layers) {
            if (layer.experts > 0) EXPECT_EQ(layer.experts, row.at("num_experts"));
            if (const auto* kv = std::get_if<HeadsKv>(&layer.kv)) {
                EXPECT_EQ(kv->kv_heads, row.at("total_num_kv_heads"));
                EXPECT_EQ(kv->key_dim, row.at("head_size"));
            }
            if (const auto* kv = std::get_if<LatentKv>(&layer.kv))
                EXPECT_EQ(kv->latent + kv->rope, row.at("head_size"));
        }
        EXPECT_EQ(
            g.other_params > 0 || row.at("architectures").at(0) == "Llama4ForConditionalGeneration",
            row.at("is_multimodal_model"));
    }
}

// --- quantisations ------------------------------------------------------------------------------

TEST(Geometry, weights_have_the_bytes_of_their_quantisation) {
    const auto gib = [](const char* config) {
        return static_cast<double>(test_geometry(config).weight_bytes()) / (1 << 30);
    };
    EXPECT_NEAR(gib("meta-llama__Llama-3.1-8B"), 14.96, 0.01);
    EXPECT_NEAR(gib("Qwen__Qwen3-32B"), 61.02, 0.01);
    EXPECT_NEAR(gib("Qwen__Qwen3-32B-FP8"), 31.96, 0.05);  // 1.45 GiB of embeddings in bf16, twice
    EXPECT_NEAR(gib("openai__gpt-oss-20b"), 12.8, 0.05);   // the hub's 13.8 GB
    EXPECT_NEAR(gib("openai__gpt-oss-120b"), 60.8, 0.2);   // 65.2 GB
    EXPECT_NEAR(gib("deepseek-ai__DeepSeek-V3"), 626.6, 2);  // 671 GB and bf16 embeddings
    EXPECT_NEAR(gib("moonshotai__Kimi-K2.5"), 555, 8);       // "595 GB" of int4 experts
    EXPECT_NEAR(gib("nvidia__Qwen3.6-35B-A3B-NVFP4"), 21, 1);
}

TEST(Geometry, each_kind_of_matrix_has_its_own_bytes) {
    const ModelGeometry oss = test_geometry("openai__gpt-oss-120b");
    EXPECT_DOUBLE_EQ(oss.layers[0].attention_param_bytes, 2);
    EXPECT_DOUBLE_EQ(oss.layers[0].dense_param_bytes, 2);  // the router
    EXPECT_DOUBLE_EQ(oss.layers[0].expert_param_bytes, 4.25 / 8);
    EXPECT_EQ(oss.compute, ComputeDtype::fp4);
    EXPECT_EQ(oss.expert_width_multiple, 256u);

    const ModelGeometry v3 = test_geometry("deepseek-ai__DeepSeek-V3");
    EXPECT_DOUBLE_EQ(v3.layers[5].expert_param_bytes, 1 + 4.0 / (128 * 128));
    EXPECT_EQ(v3.compute, ComputeDtype::fp8);

    const ModelGeometry v4 = test_geometry("deepseek-ai__DeepSeek-V4-Flash");
    EXPECT_DOUBLE_EQ(v4.layers[5].expert_param_bytes, 4.25 / 8);
    EXPECT_DOUBLE_EQ(v4.layers[5].attention_param_bytes, 1 + 4.0 / (128 * 128));

    const ModelGeometry k25 = test_geometry("moonshotai__Kimi-K2.5");
    EXPECT_DOUBLE_EQ(k25.layers[3].attention_param_bytes, 2);
    EXPECT_DOUBLE_EQ(k25.layers[3].dense_param_bytes, 2);
    EXPECT_DOUBLE_EQ(k25.layers[0].dense_param_bytes, 2);
    EXPECT_DOUBLE_EQ(k25.layers[3].expert_param_bytes, 4.5 / 8);
    EXPECT_EQ(k25.compute, ComputeDtype::bf16);

    const ModelGeometry k27 = test_geometry("nvidia__Kimi-K2.7-Code-NVFP4");
    EXPECT_DOUBLE_EQ(k27.layers[3].attention_param_bytes, 2);
    EXPECT_DOUBLE_EQ(k27.layers[3].expert_param_bytes, 4.5 / 8);
    EXPECT_DOUBLE_EQ(k27.layers[0].dense_param_bytes, 2);
    EXPECT_EQ(k27.compute, ComputeDtype::fp4);

    const ModelGeometry q36 = test_geometry("nvidia__Qwen3.6-35B-A3B-NVFP4");
    EXPECT_DOUBLE_EQ(q36.layers[0].attention_param_bytes, 1);
    EXPECT_DOUBLE_EQ(q36.layers[3].attention_param_bytes, 1);
    EXPECT_DOUBLE_EQ(q36.layers[3].dense_param_bytes, 4.5 / 8);
    EXPECT_DOUBLE_EQ(q36.layers[3].expert_param_bytes, 4.5 / 8);
    EXPECT_DOUBLE_EQ(q36.embedding_param_bytes, (2 + 4.5 / 8) / 2);
}

/// Llama-3.1-8B with a quantization_config of its own.
Result<ModelGeometry> quantised(const Json& quantisation) {
    Json config = test_config("meta-llama__Llama-3.1-8B");
    config["quantization_config"] = quantisation;
    return geometry_from_json(config, "config.json");
}

TEST(Geometry, quantisations_of_one_kind_for_all) {
    const auto bytes = [](const Json& config) {
        const auto g = quantised(config);
        EXPECT_TRUE(g.ok()) << g.error().message;
        return g.ok() ? g->layers[0].dense_param_bytes : 0;
    };
    EXPECT_DOUBLE_EQ(bytes({{"quant_method", "awq"}, {"bits", 4}, {"group_size", 128}}),
                     (4 + 20.0 / 128) / 8);
    EXPECT_DOUBLE_EQ(bytes({{"quant_method", "gptq"}, {"bits", 8}, {"group_size", -1}}), 1);
    EXPECT_DOUBLE_EQ(bytes({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}), 4.5 / 8);
    EXPECT_DOUBLE_EQ(bytes({{"quant_method", "modelopt"}, {"quant_algo", "FP8"}}), 1);
    EXPECT_DOUBLE_EQ(bytes({{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}}), 4.5 / 8);
    const auto unknown = quantised({{"quant_method", "quip"}});
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().code, Code::unsupported);
    EXPECT_NE(unknown.error().message.find("\"quip\" is not known; fp8"), std::string::npos);
}

// --- what is wrong ------------------------------------------------------------------------------

std::string error_of(const Json& config) {
    const auto g = geometry_from_json(config, "config.json");
    return g.ok() ? "read" : g.error().message;
}

TEST(Geometry, errors_name_field_and_value) {
    const Json good = test_config("Qwen__Qwen3-30B-A3B");
    const auto with = [&](const char* key, const Json& value) {
        Json config = good;
        config[key] = value;
        return error_of(config);
    };
    EXPECT_EQ(with("hidden_size", nullptr), "config.json: has no hidden_size, n_embd, d_model");
    EXPECT_EQ(with("hidden_size", -4),
              "config.json: hidden_size is \"-4\"; an integer from 0 to 262144 is needed");
    EXPECT_EQ(
        with("hidden_size", "wide"),
        "config.json: hidden_size is \"\\\"wide\\\"\"; an integer from 0 to 262144 is needed");
    EXPECT_EQ(with("num_key_value_heads", 5),
              "config.json: num_attention_heads 32 cannot share num_key_value_heads 5 evenly");
    EXPECT_EQ(with("num_experts_per_tok", 200),
              "config.json: num_experts_per_tok is 200 of 128 experts");
    EXPECT_EQ(with("layer_types", Json::array({"full_attention"})),
              "config.json: layer_types says of 1 layers what they are, of 48 that there are");
    EXPECT_EQ(with("num_hidden_layers", 0),
              "config.json: num_hidden_layers is 0; 1 to 2048 is possible");
    EXPECT_EQ(error_of(Json::array()), "config.json: is array; an object is needed");
}

TEST(Geometry, an_unknown_architecture_is_taken_for_a_plain_one_or_refused) {
    Json config = test_config("meta-llama__Llama-3.1-8B");
    config["model_type"] = "llama7";
    const auto plain = geometry_from_json(config, "config.json");
    ASSERT_TRUE(plain.ok()) << plain.error().message;
    EXPECT_EQ(plain->params(), 8'030'261'248u);
    ASSERT_FALSE(plain->assumed.empty());
    EXPECT_NE(plain->assumed[0].find("\"llama7\" is not known"), std::string::npos);

    config["mamba_d_state"] = 16;
    const auto refused = geometry_from_json(config, "config.json");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::unsupported);
    EXPECT_NE(refused.error().message.find("mamba_d_state says"), std::string::npos);
}

TEST(Geometry, numbers_that_json_does_not_have_count_as_absent) {
    const auto config =
        parse_config(R"({"a": Infinity, "b": [-Infinity, NaN], "c": "NaN, \"NaN"})", "config.json");
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_EQ(dump_json(*config), R"({"a":null,"b":[null,null],"c":"NaN, \"NaN"})");
    EXPECT_FALSE(parse_config("{\"a\": Infinit}", "config.json").ok());
}

// --- layers -------------------------------------------------------------------------------------

TEST(Geometry, layers_are_of_the_kinds_that_the_file_says) {
    const auto count = [](const ModelGeometry& g, auto condition) {
        return std::ranges::count_if(g.layers, condition);
    };
    const auto windowed = [](uint32_t window) {
        return [window](const LayerGeometry& l) {
            const auto* kv = std::get_if<HeadsKv>(&l.kv);
            return kv && kv->window == window;
        };
    };
    EXPECT_EQ(count(test_geometry("google__gemma-2-2b"), windowed(4096)), 13);
    EXPECT_EQ(count(test_geometry("google__gemma-3"), windowed(1024)), 52);
    EXPECT_EQ(count(test_geometry("google__gemma-3-text"), windowed(512)), 22);
    EXPECT_EQ(count(test_geometry("openai__gpt-oss-20b"), windowed(128)), 12);
    EXPECT_EQ(count(test_geometry("meta-llama__Llama-4-Scout-17B-16E-Instruct"), windowed(8192)),
              36);
    EXPECT_EQ(count(test_geometry("microsoft__Phi-3-mini"), windowed(0)), 32);
    EXPECT_EQ(count(test_geometry("Qwen__Qwen2.5-7B-Instruct"), windowed(0)), 28);
    const ModelGeometry super = test_geometry("nvidia__Llama-3_3-Nemotron-Super-49B-v1");
    EXPECT_EQ(count(super, windowed(0)), 49);
    const ModelGeometry jamba = test_geometry("ai21labs__AI21-Jamba-1.5-Mini");
    EXPECT_EQ(count(jamba, windowed(0)), 4);
    EXPECT_EQ(count(jamba, [](const LayerGeometry& l) { return l.experts == 16; }), 16);
}

TEST(Geometry, shared_layers_keep_nothing_of_their_own) {
    Json config = test_config("google__gemma-4-26B-A4B");
    config["text_config"]["num_kv_shared_layers"] = 12;
    const auto g = geometry_from_json(config, "config.json");
    ASSERT_TRUE(g.ok());
    for (size_t i = 0; i < g->layers.size(); ++i)
        EXPECT_EQ(std::holds_alternative<NoKv>(g->layers[i].kv), i >= 18) << i;
}

/// Granite 4: layers by name, a Mamba in most, experts and a shared part in all.
TEST(Geometry, a_granite_hybrid_has_states_and_experts) {
    Json config = {{"model_type", "granitemoehybrid"},
                   {"hidden_size", 1536},
                   {"num_hidden_layers", 4},
                   {"num_attention_heads", 12},
                   {"num_key_value_heads", 4},
                   {"intermediate_size", 512},
                   {"shared_intermediate_size", 1024},
                   {"num_local_experts", 64},
                   {"num_experts_per_tok", 6},
                   {"vocab_size", 100352},
                   {"max_position_embeddings", 131072},
                   {"mamba_n_heads", 48},
                   {"mamba_d_head", 64},
                   {"mamba_d_state", 128},
                   {"mamba_n_groups", 1},
                   {"mamba_d_conv", 4},
                   {"layer_types", {"mamba", "mamba", "attention", "mamba"}}};
    const auto g = geometry_from_json(config, "config.json");
    ASSERT_TRUE(g.ok()) << g.error().message;
    EXPECT_TRUE(std::holds_alternative<StateKv>(g->layers[0].kv));
    EXPECT_TRUE(std::holds_alternative<HeadsKv>(g->layers[2].kv));
    EXPECT_EQ(g->layers[3].experts, 64u);
    config["layer_types"][1] = "convolution";
    EXPECT_NE(error_of(config).find("layer_types has \"convolution\"; full_attention,"),
              std::string::npos);
}

TEST(Geometry, omni_models_hold_their_text_model_within) {
    const Json text = test_config("Qwen__Qwen3-30B-A3B");
    const Json config = {{"model_type", "qwen3_omni_moe"},
                         {"thinker_config", {{"text_config", text}}}};
    const auto g = geometry_from_json(config, "config.json");
    ASSERT_TRUE(g.ok()) << g.error().message;
    EXPECT_EQ(g->params(), 30'532'122'624u);
}

TEST(Geometry, attention_and_mamba_side_by_side_are_two_layers) {
    Json config = test_json("cost/partial_geometries.json")["models"]["tiiuae/Falcon-H1-7B"];
    const auto g = geometry_from_json(config, "config.json");
    ASSERT_TRUE(g.ok()) << g.error().message;
    EXPECT_EQ(g->layers.size(), 88u);
    EXPECT_NEAR(static_cast<double>(g->params()) / 1e9, 7.6, 0.1);
}

// --- whatever the fields say --------------------------------------------------------------------

/// A value that a careless or hostile hand might put into a field.
Json odd_value(Rng& rng) {
    static const Json values[] = {nullptr,
                                  0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  16,
                                  64,
                                  -1,
                                  1 << 20,
                                  1ull << 40,
                                  0.5,
                                  true,
                                  false,
                                  "",
                                  "float32",
                                  Json::array(),
                                  Json::array({1, 0}),
                                  Json::object(),
                                  Json::array({"full_attention"})};
    return values[rng.below(std::size(values))];
}

/// The object whose field is changed: the config, or an object within.
Json& some_object(Rng& rng, Json& config) {
    std::vector<Json*> objects = {&config};
    for (auto& [key, value] : config.items())
        if (value.is_object() && !value.empty()) objects.push_back(&value);
    return *objects[rng.below(objects.size())];
}

TEST(Geometry, no_fields_bring_it_down) {
    int read = 0, refused = 0;
    for (const std::string& name : known_models()) {
        for (uint64_t seed = 0; seed < 12; ++seed) {
            SCOPED_TRACE(name + " " + std::to_string(seed));
            Rng rng(seed);
            Json config = known_config(name);
            for (int i = 0; i < 2; ++i) {
                Json& object = some_object(rng, config);
                if (object.empty()) continue;
                auto at = object.begin();
                std::advance(at, static_cast<ptrdiff_t>(rng.below(object.size())));
                *at = odd_value(rng);
            }
            const auto g = geometry_from_json(config, "config.json");
            if (!g.ok()) {
                EXPECT_TRUE(g.error().message.starts_with("config.json: ")) << g.error().message;
                ++refused;
                continue;
            }
            EXPECT_GT(g->params(), 0u);
            EXPECT_LE(g->active_params(), g->params() + g->output_params());
            ++read;
        }
    }
    EXPECT_GT(read, 200);
    EXPECT_GT(refused, 200);
}

}  // namespace

}  // namespace brigada
