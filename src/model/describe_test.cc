#include "model/describe.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "model/gguf.h"
#include "model/synthetic.h"
#include "model/test_files.h"

namespace brigada {
namespace {

ModelConfig published(const std::string& name) {
    const auto text = read_file(test_models() / "configs" / (name + ".json"), 1 << 20);
    CHECK(text.ok(), name);
    const auto config = config_from_json(*parse_json(*text, name), name);
    CHECK(config.ok(), name);
    return *config;
}

/// The first three fields of a line of CSV whose second may be quoted.
std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> out(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

TEST(Describe, kv_bytes_per_token_are_those_of_the_table) {
    const std::map<std::string, std::string> config_of = {
        {"Llama-3.1-8B", "meta-llama__Llama-3.1-8B"},
        {"Llama-3.1-70B / 3.3-70B", "meta-llama__Llama-3.1-70B"},
        {"Llama-3.1-405B", "meta-llama__Llama-3.1-405B"},
        {"Qwen3-0.6B", "Qwen__Qwen3-0.6B"},
        {"Qwen3-8B", "Qwen__Qwen3-8B"},
        {"Qwen3-32B", "Qwen__Qwen3-32B"},
        {"Mistral-Small-3.2-24B", "mistralai__Mistral-Small-3-24B-family"}};
    std::ifstream table(test_models() / "kv_bytes_per_token.csv");
    std::string line;
    std::getline(table, line);
    size_t rows = 0;
    for (; std::getline(table, line); ++rows) {
        SCOPED_TRACE(line);
        const auto fields = fields_of(line);
        const ModelConfig c = published(config_of.at(fields[0]));
        EXPECT_EQ(kv_bytes_per_token(c, KvNumber::bf16), std::stoull(fields[2]));
        EXPECT_EQ(kv_bytes_per_growing_token(c, KvNumber::f16), std::stoull(fields[2]));
        EXPECT_EQ(kv_bytes_per_token(c, KvNumber::f32), 2 * std::stoull(fields[2]));
    }
    EXPECT_EQ(rows, config_of.size());
}

TEST(Describe, a_window_layer_stops_growing) {
    const ModelConfig mistral =
        published("mistralai__Mistral-7B-v0.1");  // all layers: 4,096 tokens
    const uint64_t each = 32 * 8 * 128 * 2 * 2;
    EXPECT_EQ(kv_bytes_per_sequence(mistral, KvNumber::f16, 4095), 4095 * each);
    EXPECT_EQ(kv_bytes_per_sequence(mistral, KvNumber::f16, 4096), 4096 * each);
    EXPECT_EQ(kv_bytes_per_sequence(mistral, KvNumber::f16, 30'000), 4096 * each);
    EXPECT_EQ(kv_bytes_per_growing_token(mistral, KvNumber::f16), 0u);
    EXPECT_EQ(longest_sequence(mistral, KvNumber::f16, 4096 * each),
              32'768u);  // all of the context
    EXPECT_EQ(longest_sequence(mistral, KvNumber::f16, 4096 * each - 1), 4095u);
    EXPECT_EQ(longest_sequence(mistral, KvNumber::f16, each - 1), 0u);
}

TEST(Describe, the_longest_sequence_is_the_last_that_fits) {
    ModelConfig c = qwen3_0_6b_shape();
    for (uint32_t i = 0; i < c.layers; i += 3)
        c.layer_kinds[i] = WindowAttention{100 + i};
    for (const uint64_t bytes : {0ull, 114'687ull, 114'688ull, 5'000'000ull, 1'000'000'000ull}) {
        uint64_t naive = 0;
        while (naive < c.max_context && kv_bytes_per_sequence(c, KvNumber::f16, naive + 1) <= bytes)
            ++naive;
        EXPECT_EQ(longest_sequence(c, KvNumber::f16, bytes), naive) << bytes;
    }
}

TEST(Describe, counts_parameters_and_bytes_by_type) {
    const auto file = GgufFile::open(test_gguf("stories260K", "q8_0"));
    ASSERT_TRUE(file.ok());
    const ModelFacts facts = facts_of(*config_from_gguf(*file), file->tensors());
    // 512*64 embedding, 5 layers of 2*64*64 + 2*32*64 + 3*172*64 + 2*64, and the last norm.
    EXPECT_EQ(facts.parameters, 512 * 64 + 5 * (12'288 + 33'024 + 128) + 64u);
    ASSERT_EQ(facts.dtypes.size(), 3u);
    EXPECT_EQ(facts.dtypes[0].dtype, DType::f32);
    EXPECT_EQ(facts.dtypes[0].elements, 11 * 64u);
    EXPECT_EQ(facts.dtypes[1].dtype, DType::f16);
    EXPECT_EQ(facts.dtypes[1].bytes, 5 * 172 * 64 * 2u);
    EXPECT_EQ(facts.dtypes[2].dtype, DType::q8_0);
    EXPECT_EQ(facts.dtypes[2].bytes, facts.dtypes[2].elements / 32 * 34);
    EXPECT_EQ(facts.full_layers, 5u);
    EXPECT_EQ(facts.window_layers, 0u);
}

TEST(Describe, says_how_many_sequences_fit_beside_the_weights) {
    ModelFacts facts;
    facts.config = qwen3_0_6b_shape();
    facts.weight_bytes = 1'000'000'000;
    const auto fits = kv_fits(facts, KvNumber::f16, 2'000'000'000);
    ASSERT_EQ(fits.size(), 6u);  // 1,024 to 32,768, and the whole context
    EXPECT_EQ(fits[0].tokens, 1024u);
    EXPECT_EQ(fits[0].bytes_per_sequence, 1024 * 114'688u);
    EXPECT_EQ(fits[0].sequences, 8u);  // 1e9 / 117,440,512
    EXPECT_EQ(fits.back().tokens, 40'960u);
    EXPECT_EQ(fits.back().sequences, 0u);
    EXPECT_EQ(kv_fits(facts, KvNumber::f16, 1)[0].sequences, 0u);  // the weights alone do not fit
}

TEST(Describe, prints_pages_for_people) {
    ModelFacts facts;
    facts.config = published("mistralai__Mistral-7B-v0.1");
    facts.config.name = "Mistral-7B";
    facts.window_layers = 32;
    const std::string page = inspect_text(facts);
    EXPECT_NE(
        page.find("layers            32: 0 full attention, 32 sliding window (4096 tokens)\n"),
        std::string::npos)
        << page;
    EXPECT_NE(page.find("KV per token      131072 bytes (f16)\n"), std::string::npos) << page;
    const std::string kv = kv_text(facts, 16'000'000'000);
    EXPECT_NE(kv.find("KV bf16           131072 bytes per token, 0 once the windows are full\n"),
              std::string::npos)
        << kv;
}

TEST(Describe, prints_the_same_numbers_for_machines) {
    ModelFacts facts;
    facts.config = qwen3_0_6b_shape();
    const Json kv = kv_json(facts, 2'000'000'000);
    EXPECT_EQ(kv["bf16"]["bytes_per_token"], 114'688);
    EXPECT_EQ(kv["f16"]["fits"][0]["sequences"], 17);
    EXPECT_EQ(kv["f32"]["longest_sequence_tokens"], 2'000'000'000 / 229'376);
    const Json inspect = inspect_json(facts);
    EXPECT_EQ(inspect["head_dim"], 128);
    EXPECT_EQ(inspect["layer_kinds"].size(), 28u);
    EXPECT_EQ(inspect["layer_kinds"][0]["kind"], "full_attention");
}

TEST(Describe, shortens_counts_to_three_digits) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1'000), "1.00 K");
    EXPECT_EQ(count_text(259'712), "260 K");
    EXPECT_EQ(count_text(1'235'814'400), "1.24 B");
    EXPECT_EQ(count_text(999'600), "1.00 M");
    EXPECT_EQ(bytes_text(98'362'432), "98.4 MB");
    EXPECT_EQ(bytes_text(12), "12 bytes");
}

}  // namespace
}  // namespace brigada
