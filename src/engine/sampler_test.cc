#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

namespace brigada {
namespace {

Sampler make_sampler(const Sampling& sampling, LogprobRequest logprobs,
                     std::span<const TokenId> prompt, uint64_t seed) {
    return Sampler(elementwise_kernels(best_isa()), sampling, logprobs, prompt, seed);
}

/// Frequencies of the tokens drawn from `logits` in `draws` independent draws.
std::map<uint32_t, double> frequencies(const Sampling& sampling, std::vector<float> logits,
                                       int draws = 40'000) {
    std::map<uint32_t, double> out;
    Sampler sampler = make_sampler(sampling, {}, {}, 7);
    for (int i = 0; i < draws; ++i) {
        std::vector<float> copy = logits;
        out[raw(sampler.draw(copy, {}).token)] += 1.0 / draws;
    }
    return out;
}

std::vector<float> logits_of(std::initializer_list<double> probabilities) {
    std::vector<float> out;
    for (double p : probabilities)
        out.push_back(static_cast<float>(std::log(p)) + 3.0f);
    return out;
}

TEST(Sampler, draws_with_the_probabilities_of_the_softmax) {
    auto seen = frequencies({}, logits_of({0.5, 0.3, 0.15, 0.05}));
    EXPECT_NEAR(seen[0], 0.5, 0.012);
    EXPECT_NEAR(seen[1], 0.3, 0.012);
    EXPECT_NEAR(seen[2], 0.15, 0.012);
    EXPECT_NEAR(seen[3], 0.05, 0.012);
}

TEST(Sampler, temperature_raises_probabilities_to_its_inverse_power) {
    auto seen = frequencies({.temperature = 0.5f}, logits_of({0.8, 0.2}));
    EXPECT_NEAR(seen[0], 0.64 / 0.68, 0.012);
}

TEST(Sampler, temperature_zero_is_greedy_and_ties_go_to_the_lowest_id) {
    auto seen = frequencies({.temperature = 0}, {1.0f, 2.0f, 2.0f}, 10);
    EXPECT_EQ(seen, (std::map<uint32_t, double>{{1, seen[1]}}));
}

TEST(Sampler, top_k_keeps_k) {
    auto seen = frequencies({.top_k = 2}, logits_of({0.1, 0.4, 0.1, 0.4}), 2000);
    EXPECT_EQ(seen.size(), 2u);
    EXPECT_TRUE(seen.count(1) && seen.count(3));
}

TEST(Sampler, top_p_keeps_the_smallest_set_that_reaches_p) {
    EXPECT_EQ(frequencies({.top_p = 0.79f}, logits_of({0.05, 0.5, 0.15, 0.3}), 4000).size(), 2u);
    EXPECT_EQ(frequencies({.top_p = 0.81f}, logits_of({0.05, 0.5, 0.15, 0.3}), 4000).size(), 3u);
    EXPECT_EQ(frequencies({.top_p = 0.0f}, logits_of({0.05, 0.5, 0.15, 0.3}), 100).size(), 1u);
}

TEST(Sampler, min_p_is_relative_to_the_most_likely) {
    EXPECT_EQ(frequencies({.min_p = 0.5f}, logits_of({0.5, 0.3, 0.2}), 4000).size(), 2u);
}

TEST(Sampler, penalties_follow_their_definitions) {
    Sampling sampling{.temperature = 0, .presence_penalty = 0.5f, .frequency_penalty = 0.25f};
    Sampler sampler = make_sampler(sampling, {}, {}, 0);
    // Token 0 leads by 1.1: drawn twice (then 0.5 + 2 * 0.25 = 1.0 is off), a third time, then not.
    std::vector<uint32_t> drawn;
    for (int i = 0; i < 4; ++i) {
        std::vector<float> logits{2.1f, 1.0f};
        drawn.push_back(raw(sampler.draw(logits, {}).token));
    }
    EXPECT_EQ(drawn, (std::vector<uint32_t>{0, 0, 0, 1}));
}

TEST(Sampler, repetition_penalty_counts_the_prompt_and_either_sign) {
    Sampling sampling{.temperature = 0, .repetition_penalty = 2.0f};
    const std::array prompt{TokenId{0}};
    std::vector<float> positive{1.5f, 1.0f};
    EXPECT_EQ(make_sampler(sampling, {}, prompt, 0).draw(positive, {}).token, TokenId{1});
    std::vector<float> negative{-1.0f, -1.5f};
    EXPECT_EQ(make_sampler(sampling, {}, prompt, 0).draw(negative, {}).token, TokenId{1});
}

TEST(Sampler, bias_moves_and_bans_forbid) {
    Sampling sampling{.temperature = 0, .logit_bias = {{TokenId{2}, 100.0f}, {TokenId{99}, 1.0f}}};
    std::vector<float> logits{3, 2, 1};
    EXPECT_EQ(make_sampler(sampling, {}, {}, 0).draw(logits, {}).token, TokenId{2});
    const std::array banned{TokenId{0}};
    logits = {3, 2, 1};
    EXPECT_EQ(make_sampler({.temperature = 0}, {}, {}, 0).draw(logits, {.banned = banned}).token,
              TokenId{1});
    EXPECT_EQ(frequencies({}, {0, 0, -INFINITY}, 1000).count(2), 0u);
}

TEST(Sampler, the_same_seed_draws_the_same_tokens) {
    const auto draw_all = [](uint64_t seed) {
        Sampler sampler = make_sampler({}, {}, {}, seed);
        std::vector<uint32_t> out;
        for (int i = 0; i < 50; ++i) {
            std::vector<float> logits(100, 0.0f);
            out.push_back(raw(sampler.draw(logits, {}).token));
        }
        return out;
    };
    EXPECT_EQ(draw_all(1), draw_all(1));
    EXPECT_NE(draw_all(1), draw_all(2));
}

TEST(Sampler, logprobs_come_from_the_unmodified_logits) {
    Sampling sampling{.temperature = 0, .logit_bias = {{TokenId{1}, 100.0f}}};
    std::vector<float> logits = logits_of({0.7, 0.2, 0.1});
    const auto drawn = make_sampler(sampling, {.wanted = true, .top = 2}, {}, 0).draw(logits, {});
    EXPECT_EQ(drawn.token, TokenId{1});
    EXPECT_NEAR(drawn.logprob.logprob, std::log(0.2), 1e-5);
    ASSERT_EQ(drawn.top.size(), 2u);
    EXPECT_EQ(drawn.top[0].token, TokenId{0});
    EXPECT_NEAR(drawn.top[0].logprob, std::log(0.7), 1e-5);
}

TEST(Sampler, draws_only_what_a_mask_and_its_companions_allow) {
    std::vector<float> model(200);
    for (size_t i = 0; i < model.size(); ++i)
        model[i] = static_cast<float>(i % 7);
    TokenMask mask(150);  // fewer tokens than there are logits
    for (uint32_t id : {3u, 64u, 127u, 149u})
        mask.add(TokenId{id});
    const std::array also{TokenId{180}}, banned{TokenId{64}};
    Sampler sampler = make_sampler({.temperature = 5}, {.wanted = true}, {}, 1);
    double sum = 0;
    for (float logit : model)
        sum += std::exp(logit);
    const double log_of_sum = std::log(sum);
    std::map<uint32_t, int> seen;
    for (int i = 0; i < 2000; ++i) {
        std::vector<float> logits = model;
        const SampledToken drawn =
            sampler.draw(logits, {.banned = banned, .only = &mask, .also = also});
        ++seen[raw(drawn.token)];
        EXPECT_NEAR(drawn.logprob.logprob, model[raw(drawn.token)] - log_of_sum, 1e-3);
    }
    EXPECT_EQ(seen.size(), 4u);
    EXPECT_FALSE(seen.contains(64));
}

TEST(Sampler, keeps_to_the_mask_when_the_logits_are_not_numbers) {
    TokenMask mask(3);
    mask.add(TokenId{1});
    std::vector<float> logits{NAN, NAN, NAN};
    EXPECT_EQ(make_sampler({}, {}, {}, 0).draw(logits, {.only = &mask}).token, TokenId{1});
    const std::array also{TokenId{2}};
    const TokenMask none(3);
    logits = {5, 5, -INFINITY};
    EXPECT_EQ(make_sampler({.temperature = 0}, {}, {}, 0)
                  .draw(logits, {.only = &none, .also = also})
                  .token,
              TokenId{2});
}

TEST(Sampler, survives_logits_that_are_not_numbers) {
    std::vector<float> logits{NAN, NAN};
    EXPECT_LT(raw(make_sampler({}, {}, {}, 0).draw(logits, {}).token), 2u);
}

}  // namespace
}  // namespace brigada
