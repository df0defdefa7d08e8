#include "gateway/config/deployment.h"

#include <gtest/gtest.h>

#include "gateway/config/near_key.h"

namespace brigada {
namespace {

TEST(Deployment, star_of_the_name_becomes_the_star_of_the_model) {
    struct Case {
        const char* name;
        const char* model;
        const char* requested;
        std::optional<std::string> expected;
    };
    const Case cases[] = {
        {"m", "real", "m", "real"},
        {"m", "real", "M", std::nullopt},
        {"openai/*", "*", "openai/gpt-4o", "gpt-4o"},
        {"openai/*", "*", "anthropic/x", std::nullopt},
        {"openai/*", "fixed", "openai/any", "fixed"},
        {"*", "*", "any/thing", "any/thing"},
        {"*", "*", "", ""},
        {"a*z", "x-*", "abcz", "x-bc"},
        {"a*z", "x-*", "az", "x-"},
        {"a*a", "*", "a", std::nullopt},  // before and after may not overlap
    };
    for (const Case& c : cases) {
        const Deployment deployment{.model_name = c.name, .upstream_model = c.model};
        EXPECT_EQ(upstream_model_for(deployment, c.requested), c.expected)
            << c.name << " " << c.requested;
    }
}

TEST(Deployment, made_id_tells_deployments_apart_and_keeps_secrets_out) {
    const Deployment one{.model_name = "m", .provider = "openai", .upstream_model = "real"};
    Deployment other = one;
    other.api_key = Secret("sk-1");
    EXPECT_EQ(made_id(one), made_id(other));
    EXPECT_EQ(made_id(one).size(), 18u);
    other.address = UpstreamAddress{.host = "b"};
    EXPECT_NE(made_id(one), made_id(other));
    EXPECT_NE(one, other);
}

TEST(Secret, shows_that_it_is_there_and_nothing_else) {
    const Secret secret("sk-hidden");
    EXPECT_EQ(fmt::format("{}|{}", secret, Secret()), "****|");
    EXPECT_EQ(testing::PrintToString(secret), "****");
    EXPECT_EQ(secret.reveal(), "sk-hidden");
    EXPECT_NE(secret, Secret("sk-other"));
}

TEST(NearestKey, finds_a_slip_of_the_fingers_and_nothing_far) {
    const std::vector<std::string> known = {"num_retries", "timeout", "host", "post", "tpm"};
    EXPECT_EQ(nearest_key("num_retrys", known), "num_retries");
    EXPECT_EQ(nearest_key("tiemout", known), "timeout");
    EXPECT_EQ(nearest_key("hst", known), "host");
    EXPECT_EQ(nearest_key("ost", known), "host");  // the first of several
    EXPECT_EQ(nearest_key("rpm", known), "");
    EXPECT_EQ(nearest_key("temperature", known), "");
    EXPECT_EQ(nearest_key(std::string(100'000, 'x'), known), "");
}

TEST(Deployment, a_call_goes_in_its_own_dialect_or_in_one_it_is_translated_to) {
    using enum Dialect;
    const auto at = [](std::vector<Dialect> spoken, Dialect asked) {
        return dialect_at({.spoken = std::move(spoken)}, asked);
    };
    EXPECT_EQ(at({messages, chat}, messages), messages);
    EXPECT_EQ(at({chat, completions}, messages), chat);
    EXPECT_EQ(at({responses, messages}, chat), messages);
    EXPECT_EQ(at({responses}, chat), responses);
    EXPECT_EQ(at({chat, messages}, completions), std::nullopt);
    EXPECT_EQ(at({chat}, count_tokens), std::nullopt);
    EXPECT_EQ(at({embeddings}, responses), std::nullopt);
    EXPECT_EQ(at({}, chat), std::nullopt);
}

}  // namespace
}  // namespace brigada
