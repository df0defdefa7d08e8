#include "model/rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "model/config.h"
#include "model/test_files.h"

namespace brigada {
namespace {

/// The config.json of a golden case: its RoPE keys, and whatever else a llama needs.
Json as_config(const Json& measures) {
    Json config = {{"model_type", "llama"},
                   {"vocab_size", 100},
                   {"num_hidden_layers", 1},
                   {"intermediate_size", 64}};
    config.update(measures);
    return config;
}

TEST(Rope, has_the_frequencies_and_factors_of_transformers) {
    const auto text = read_file(test_models() / "rope" / "goldens.json", 1 << 20);
    ASSERT_TRUE(text.ok());
    const auto goldens = parse_json(*text, "goldens");
    ASSERT_TRUE(goldens.ok());
    ASSERT_GE(goldens->size(), 16u);
    for (const Json& golden : *goldens) {
        SCOPED_TRACE(golden["name"].get<std::string>());
        const auto config = config_from_json(as_config(golden["config"]), "golden");
        ASSERT_TRUE(config.ok()) << config.error().message;
        const uint64_t length = golden["seq_len"].is_null() ? 1 : golden["seq_len"].get<uint64_t>();
        const std::vector<float> ours = rope_inverse_frequencies(config->rope, length);
        const auto theirs = golden["inv_freq"].get<std::vector<double>>();
        ASSERT_EQ(ours.size(), theirs.size());
        // transformers rounds to float at each of at most six steps, and pow in float is off by a
        // few units more: 1e-6 is 16 of them.
        for (size_t i = 0; i < ours.size(); ++i)
            EXPECT_NEAR(ours[i], theirs[i], 1e-6 * theirs[i]) << "pair " << i;
        EXPECT_NEAR(rope_attention_factor(config->rope, length),
                    golden["attention_factor"].get<double>(), 1e-6);
    }
}

TEST(Rope, without_scaling_is_the_formula_of_the_paper) {
    const Rope rope{.theta = 10000, .dims = 6};
    const std::vector<float> f = rope_inverse_frequencies(rope, 1);
    ASSERT_EQ(f.size(), 3u);
    EXPECT_FLOAT_EQ(f[0], 1.0f);
    EXPECT_FLOAT_EQ(f[1], static_cast<float>(1 / std::cbrt(10000.0)));
    EXPECT_FLOAT_EQ(f[2], static_cast<float>(1 / std::pow(std::cbrt(10000.0), 2)));
    EXPECT_EQ(rope_attention_factor(rope, 1), 1.0f);
}

TEST(Rope, factors_of_a_file_divide_the_frequencies) {
    const Rope plain{.theta = 500000, .dims = 8};
    Rope factored = plain;
    factored.scaling = RopeFactors{{1, 2, 8, 32}};
    const std::vector<float> a = rope_inverse_frequencies(plain, 1);
    const std::vector<float> b = rope_inverse_frequencies(factored, 1);
    const float factors[] = {1, 2, 8, 32};
    for (size_t i = 0; i < 4; ++i)
        EXPECT_FLOAT_EQ(b[i], a[i] / factors[i]);
}

}  // namespace
}  // namespace brigada
