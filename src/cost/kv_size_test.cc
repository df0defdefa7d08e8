#include "cost/kv_size.h"

#include "cost/test_configs.h"

namespace brigada {

namespace {

/// The config of each row of the tables.
const std::map<std::string, std::string>& config_of_row() {
    static const std::map<std::string, std::string> files = {
        {"Llama-3.1-8B", "meta-llama__Llama-3.1-8B"},
        {"Llama-3.1-70B / 3.3-70B", "meta-llama__Llama-3.1-70B"},
        {"Llama-3.1-405B", "meta-llama__Llama-3.1-405B"},
        {"Qwen3-0.6B", "Qwen__Qwen3-0.6B"},
        {"Qwen3-8B", "Qwen__Qwen3-8B"},
        {"Qwen3-32B", "Qwen__Qwen3-32B"},
        {"Qwen3-30B-A3B", "Qwen__Qwen3-30B-A3B"},
        {"Qwen3-235B-A22B", "Qwen__Qwen3-235B-A22B"},
        {"Qwen3-Coder-480B-A35B", "Qwen__Qwen3-Coder-480B-A35B-Instruct"},
        {"Mistral-Small-3.2-24B", "mistralai__Mistral-Small-3-24B-family"},
        {"Mixtral-8x7B", "mistralai__Mixtral-8x7B-v0.1"},
        {"MiniMax-M2.5", "MiniMaxAI__MiniMax-M2.5"},
        {"DeepSeek-V3 / R1", "deepseek-ai__DeepSeek-V3"},
        {"Kimi-K2 / K2.5", "moonshotai__Kimi-K2-Instruct"},
        {"DeepSeek-V3.2 (DSA)", "deepseek-ai__DeepSeek-V3.2"},
        {"GLM-5 / 5.1 / 5.2 (DSA)", "zai-org__GLM-5"},
        {"Kimi-K3", "moonshotai__Kimi-K3"},
        {"gpt-oss-120b", "openai__gpt-oss-120b"},
        {"gpt-oss-20b", "openai__gpt-oss-20b"},
        {"Gemma-4-26B-A4B", "google__gemma-4-26B-A4B"},
        {"Llama-4-Scout / Maverick", "meta-llama__Llama-4-Scout-17B-16E-Instruct"},
        {"MiMo-V2-Flash", "XiaomiMiMo__MiMo-V2-Flash"},
        {"Step-3.7-Flash", "stepfun-ai__Step-3.7-Flash"},
        {"Qwen3.5-397B-A17B", "Qwen__Qwen3.5-397B-A17B"},
        {"Qwen3.5-122B-A10B", "Qwen__Qwen3.5-122B-A10B"},
        {"Qwen3.5-35B-A3B", "Qwen__Qwen3.5-35B-A3B"},
        {"Qwen3.5/3.6-27B", "Qwen__Qwen3.5-27B"},
        {"Nemotron-3-Nano-30B-A3B", "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"},
        {"Nemotron-3-Super-120B-A12B", "nvidia__NVIDIA-Nemotron-3-Super-120B-A12B-FP8"},
        {"MiniMax-M3", "MiniMaxAI__MiniMax-M3"},
        {"DeepSeek-V4-Flash", "deepseek-ai__DeepSeek-V4-Flash"},
    };
    return files;
}

/// Known only by its measures: what the whole file would add does not touch KV.
ModelGeometry nemotron_nano_9b() {
    Json config = test_json("cost/partial_geometries.json")["models"]["nvidia/Nemotron-Nano-9B-v2"];
    config["model_type"] = "nemotron_h";
    config["max_position_embeddings"] = 131072;
    Result<ModelGeometry> geometry = geometry_from_json(config, "Nemotron-Nano-9B-v2");
    EXPECT_TRUE(geometry.ok()) << geometry.error().message;
    return geometry.ok() ? *std::move(geometry) : ModelGeometry();
}

ModelGeometry geometry_of_row(const std::string& model) {
    if (model == "Nemotron-Nano-9B-v2") return nemotron_nano_9b();
    const auto at = config_of_row().find(model);
    EXPECT_NE(at, config_of_row().end()) << model;
    return at == config_of_row().end() ? ModelGeometry() : test_geometry(at->second);
}

/// What the table's rules say of one of `tp` ranks: KV heads ceil(kv_heads / tp), states in tp
/// parts, latents whole.
uint64_t per_token_by_rule(const ModelGeometry& model, uint64_t whole, uint32_t tp) {
    uint32_t kv_heads = 0;
    for (const LayerGeometry& layer : model.layers)
        if (const auto* kv = std::get_if<HeadsKv>(&layer.kv); kv && kv->window == 0)
            kv_heads = kv->kv_heads;
    return kv_heads == 0 ? whole : whole / kv_heads * ((kv_heads + tp - 1) / tp);
}

TEST(KvSize, is_what_the_table_of_31_models_says) {
    int rows = 0;
    for (const auto& row : test_csv("cost/kv_bytes_per_token.csv")) {
        SCOPED_TRACE(row.at("model"));
        const ModelGeometry model = geometry_of_row(row.at("model"));
        const KvSize size = kv_size(model, KvDtype::bf16, 1);
        const uint64_t growing = std::stoull(row.at("bytes_per_token_bf16_growing"));
        EXPECT_EQ(size.per_token, growing);
        EXPECT_EQ(size.per_sequence, std::stoull(row.at("fixed_bytes_per_sequence_bf16")));
        const std::string& full = row.at("bytes_per_token_if_engine_reserves_full_pages");
        if (!full.empty()) EXPECT_EQ(size.per_token_full_pages, std::stoull(full));
        for (const uint32_t tp : {2, 4, 8, 16})
            EXPECT_EQ(kv_size(model, KvDtype::bf16, tp).per_token,
                      per_token_by_rule(model, growing, tp))
                << tp;
        ++rows;
    }
    EXPECT_EQ(rows, 31);
}

/// One layer in bf16 on one of `tp` ranks: of a token, and of the rest of a sequence.
std::pair<uint64_t, uint64_t> simple_size(const LayerKv& layer, uint64_t tp) {
    if (const auto* kv = std::get_if<HeadsKv>(&layer)) {
        uint64_t heads = kv->kv_heads / tp;
        while (heads * tp < kv->kv_heads)
            ++heads;
        const uint64_t token = heads * 2 * (kv->key_dim + kv->value_dim);
        return kv->window == 0 ? std::pair(token, uint64_t{0})
                               : std::pair(uint64_t{0}, token * kv->window);
    }
    if (const auto* kv = std::get_if<LatentKv>(&layer))
        return {2 * (kv->latent + kv->rope) + kv->indexer_bytes, 0};
    if (const auto* kv = std::get_if<StateKv>(&layer)) return {0, (kv->bytes + tp - 1) / tp};
    if (const auto* kv = std::get_if<CompressedKv>(&layer)) {
        const uint64_t entry = 2 * kv->latent;
        const uint64_t grows = kv->ratio ? (entry + kv->indexer_bytes) / kv->ratio : 0;
        return {grows, entry * kv->window + kv->state_bytes};
    }
    return {0, 0};
}

TEST(KvSize, is_the_sum_of_the_layers_for_every_model_and_number_of_ranks) {
    for (const std::string& name : known_models()) {
        const ModelGeometry model = *find_geometry(name);
        for (const uint32_t tp : {1, 2, 3, 4, 5, 6, 8, 16}) {
            uint64_t token = 0, sequence = 0;
            for (const LayerGeometry& layer : model.layers) {
                const auto [grows, fixed] = simple_size(layer.kv, tp);
                token += grows;
                sequence += fixed;
            }
            const KvSize size = kv_size(model, KvDtype::bf16, tp);
            EXPECT_EQ(size.per_token, token) << name << " tp " << tp;
            EXPECT_EQ(size.per_sequence, sequence) << name << " tp " << tp;
            EXPECT_GE(size.per_token_full_pages, token) << name << " tp " << tp;
            EXPECT_LE(kv_size(model, KvDtype::fp8, tp).per_token, token) << name;
        }
    }
}

TEST(KvSize, models_of_one_row_have_one_size) {
    const auto same = [](const char* a, const char* b) {
        return kv_size(test_geometry(a), KvDtype::bf16, 1) ==
               kv_size(test_geometry(b), KvDtype::bf16, 1);
    };
    EXPECT_TRUE(same("deepseek-ai__DeepSeek-V3", "deepseek-ai__DeepSeek-R1"));
    EXPECT_TRUE(same("moonshotai__Kimi-K2-Instruct", "moonshotai__Kimi-K2.5"));
    EXPECT_TRUE(same("zai-org__GLM-5", "zai-org__GLM-5.1"));
    EXPECT_TRUE(same("zai-org__GLM-5", "zai-org__GLM-5.2"));
    EXPECT_TRUE(same("meta-llama__Llama-4-Scout-17B-16E-Instruct",
                     "meta-llama__Llama-4-Maverick-17B-128E-Instruct"));
}

TEST(KvSize, blocks_of_hybrid_models_are_those_of_vllm) {
    int rows = 0;
    for (const auto& row : test_csv("cost/hybrid_block_sizes.csv")) {
        SCOPED_TRACE(row.at("model") + " tp " + row.at("tp") + " " + row.at("kv_dtype"));
        const ModelGeometry model = geometry_of_row(row.at("model"));
        const Result<KvDtype> dtype = parse_kv_dtype(row.at("kv_dtype"));
        ASSERT_TRUE(dtype.ok());
        const auto tp = static_cast<uint32_t>(std::stoul(row.at("tp")));
        const KvSize size = kv_size(model, *dtype, tp);
        EXPECT_EQ(size.block_tokens, std::stoul(row.at("vllm_block_tokens")));
        uint64_t states = 0;
        for (const LayerGeometry& layer : model.layers)
            states += std::holds_alternative<StateKv>(layer.kv);
        EXPECT_EQ(size.per_sequence,
                  states * std::stoull(row.at("recurrent_state_bytes_per_layer_per_rank")));
        ++rows;
    }
    EXPECT_EQ(rows, 33);
}

TEST(KvSize, quantised_kv_has_its_scales) {
    const ModelGeometry llama = test_geometry("meta-llama__Llama-3.1-8B");
    EXPECT_EQ(kv_size(llama, KvDtype::bf16, 1).per_token, 131'072u);
    EXPECT_EQ(kv_size(llama, KvDtype::fp8, 1).per_token, 65'536u);
    EXPECT_EQ(kv_size(llama, KvDtype::q8_0, 1).per_token, 65'536u / 32 * 34);
    EXPECT_EQ(kv_size(llama, KvDtype::q4_0, 1).per_token, 65'536u / 32 * 18);
}

/// vLLM keeps the latent of a model with a sparse indexer as 656 bytes: 512 in fp8, four fp32
/// scales, 64 rotated numbers in bf16.
TEST(KvSize, fp8_latents_with_an_indexer_keep_their_rotated_part) {
    const ModelGeometry v32 = test_geometry("deepseek-ai__DeepSeek-V3.2");
    EXPECT_EQ(kv_size(v32, KvDtype::fp8, 1).per_token, 61u * (656 + 132));
    const ModelGeometry v3 = test_geometry("deepseek-ai__DeepSeek-V3");
    EXPECT_EQ(kv_size(v3, KvDtype::fp8, 8).per_token, 61u * 576);
}

TEST(KvSize, dtypes_are_read_back) {
    for (const KvDtype dtype : {KvDtype::bf16, KvDtype::fp8, KvDtype::q8_0, KvDtype::q4_0})
        EXPECT_EQ(*parse_kv_dtype(to_string(dtype)), dtype);
    const auto wrong = parse_kv_dtype("int3");
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().message, "\"int3\" is no KV dtype; bf16, fp8, q8_0 and q4_0 are");
}

// --- worked examples ----------------------------------------------------------------------------

double gib(uint64_t bytes) {
    return static_cast<double>(bytes) / (1 << 30);
}

/// Plain attention of so many layers and KV heads of 128.
ModelGeometry plain(uint32_t layers, uint32_t kv_heads, uint32_t dim = 128) {
    LayerGeometry layer{.kv = HeadsKv{.kv_heads = kv_heads, .key_dim = dim, .value_dim = dim}};
    ModelGeometry model;
    model.layers.assign(layers, layer);
    return model;
}

TEST(WorkedExamples, rows_1_to_3_context_of_agents) {
    const KvSize seventy = kv_size(plain(80, 8), KvDtype::bf16, 1);
    EXPECT_EQ(seventy.per_token, 327'680u);
    EXPECT_NEAR(gib(seventy.per_token * 142'000), 43.33, 0.01);
    const KvSize thirty = kv_size(plain(48, 8), KvDtype::bf16, 1);
    EXPECT_EQ(thirty.per_token, 196'608u);
    EXPECT_NEAR(gib(thirty.per_token * 142'000), 26.00, 0.01);
    const KvSize real = kv_size(test_geometry("Qwen__Qwen3-30B-A3B"), KvDtype::bf16, 1);
    EXPECT_EQ(real.per_token, 98'304u);
    EXPECT_NEAR(gib(real.per_token * 142'000), 13.0, 0.01);
    const KvSize eight_bits = kv_size(plain(48, 8), KvDtype::fp8, 1);
    EXPECT_EQ(eight_bits.per_token, 98'304u);
    EXPECT_DOUBLE_EQ(gib(eight_bits.per_token * 131'072), 12.0);
}

/// The log's 6.08 M of row 13 are sequences of 262,144 tokens in blocks of 2,096: 126 blocks of
/// tokens, and two for each of the three groups of state layers.
TEST(WorkedExamples, rows_13_and_14_hybrid_models_hold_millions_of_tokens) {
    const KvSize q36 = kv_size(test_geometry("nvidia__Qwen3.6-35B-A3B-NVFP4"), KvDtype::fp8, 1);
    EXPECT_EQ(q36.per_token, 10'240u);
    EXPECT_NEAR(61 * double(1 << 30) / static_cast<double>(q36.per_token) / 1e6, 6.40, 0.01);
    EXPECT_EQ(q36.block_tokens, 2096u);
    const double blocks = 61 * double(1 << 30) / static_cast<double>(q36.block_bytes());
    const double of_sequence = (262'144 + 2'095) / 2'096 + 2 * 3;
    EXPECT_NEAR(blocks / of_sequence * 262'144 / 1e6, 6.08, 0.03);

    const ModelGeometry q38 = plain(16, 4, 256);
    EXPECT_EQ(kv_size(q38, KvDtype::q8_0, 1).per_token, 34'816u);
    EXPECT_EQ(kv_size(q38, KvDtype::fp8, 1).per_token, 32'768u);
    EXPECT_NEAR(61 * double(1 << 30) / 34'816 / 1e6, 1.88, 0.005);
    EXPECT_NEAR(61 * double(1 << 30) / 32'768 / 1e6, 2.00, 0.005);
}

TEST(WorkedExamples, row_15_a_9b_on_a_16_gib_card) {
    const KvSize size = kv_size(plain(8, 4, 256), KvDtype::q8_0, 1);
    EXPECT_EQ(size.per_token, 17'408u);
    const double free = 16 * double(1 << 30) - 5.78e9 - 1.5 * double(1 << 30);
    EXPECT_NEAR(free / double(1 << 30), 9.12, 0.01);
    const double tokens = free / 17'408;
    EXPECT_NEAR(tokens, 562'000, 1'000);
    EXPECT_EQ(static_cast<int>(tokens / 100'000), 5);
    EXPECT_EQ(static_cast<int>(tokens / 2'500), 224);
}

TEST(WorkedExamples, row_16_bytes_per_token) {
    EXPECT_EQ(kv_size(plain(32, 32), KvDtype::bf16, 1).per_token, 524'288u);
    EXPECT_EQ(kv_size(plain(32, 8), KvDtype::bf16, 1).per_token, 131'072u);
    const ModelGeometry seventy = test_geometry("meta-llama__Meta-Llama-3-70B");
    EXPECT_EQ(kv_size(seventy, KvDtype::bf16, 1).per_token, 327'680u);
    EXPECT_EQ(kv_size(test_geometry("Qwen__Qwen3-8B"), KvDtype::bf16, 1).per_token, 147'456u);
    const KvSize mistral = kv_size(test_geometry("mistralai__Mistral-7B-v0.1"), KvDtype::bf16, 1);
    EXPECT_EQ(mistral.per_token, 0u) << "bounded by its window";
    EXPECT_EQ(mistral.per_sequence, 4096u * 131'072);
    EXPECT_EQ(mistral.per_token_full_pages, 131'072u);
}

TEST(WorkedExamples, rows_18_19_and_23_blocks) {
    const KvSize llama = kv_size(plain(32, 8), KvDtype::bf16, 1);
    EXPECT_EQ(llama.block_bytes(), 2u << 20);
    EXPECT_EQ((11ull << 29) / llama.block_bytes(), 2'816u);
    EXPECT_EQ(2'816 * llama.block_tokens, 45'056u);
    EXPECT_EQ((6ull << 30) / kv_size(plain(36, 8), KvDtype::bf16, 1).per_token, 43'690u);
    EXPECT_EQ(llama.sequence_bytes(273), 18 * llama.block_bytes());
}

TEST(WorkedExamples, row_22_a_latent_is_whole_on_every_rank) {
    const ModelGeometry v3 = test_geometry("deepseek-ai__DeepSeek-V3");
    for (const uint32_t tp : {1, 2, 4, 8, 16})
        EXPECT_EQ(kv_size(v3, KvDtype::bf16, tp).per_token, 70'272u);
}

}  // namespace

}  // namespace brigada
