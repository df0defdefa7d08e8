#include "gateway/token_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace brigada {
namespace {

const std::string kStories =
    (Path(BRIGADA_TESTDATA) / "models" / "stories260K" / "hf" / "tokenizer.json").string();

Deployment deployment(std::string name, std::string identifier) {
    return {.id = name + "-1",
            .model_name = name,
            .tokenizer = {.identifier = std::move(identifier), .chatml_if_none = true}};
}

TEST(TokenCounters, share_what_is_the_same_and_estimate_the_rest) {
    const GatewayConfig config{
        .deployments = {deployment("a", kStories), deployment("b", kStories), deployment("c", "")}};
    const TokenCounters counters = TokenCounters::open(config);
    EXPECT_THAT(counters.warnings(), testing::IsEmpty());
    ASSERT_TRUE(counters.of(config.deployments[0]));
    EXPECT_EQ(counters.of(config.deployments[0]), counters.of(config.deployments[1]));
    EXPECT_FALSE(counters.of(config.deployments[2]));
}

TEST(TokenCounters, warn_of_one_that_is_not_there_and_go_on) {
    const GatewayConfig config{
        .deployments = {deployment("a", "/no/such/tokenizer.json"), deployment("b", kStories)}};
    const TokenCounters counters = TokenCounters::open(config);
    ASSERT_EQ(counters.warnings().size(), 1u);
    EXPECT_THAT(counters.warnings()[0],
                testing::AllOf(testing::StartsWith("model_list 'a' (a-1) model_info"),
                               testing::HasSubstr("/no/such/tokenizer.json"),
                               testing::EndsWith("; its prompts are estimated")));
    EXPECT_FALSE(counters.of(config.deployments[0]));
    EXPECT_TRUE(counters.of(config.deployments[1]));
}

TEST(TokenCounters, keep_what_the_next_configuration_has_as_well) {
    const GatewayConfig before{.deployments = {deployment("a", kStories)}};
    GatewayConfig after{.deployments = {deployment("b", kStories), deployment("c", kStories)}};
    after.deployments[1].tokenizer.chat_template = "{{ messages[0].content }}";
    const TokenCounters first = TokenCounters::open(before);
    const TokenCounters second = TokenCounters::open(after, &first);
    EXPECT_EQ(second.of(after.deployments[0]), first.of(before.deployments[0]));
    EXPECT_GT(second.of(after.deployments[1])->number, first.of(before.deployments[0])->number)
        << "what one has counted is not the other's";
}

}  // namespace
}  // namespace brigada
