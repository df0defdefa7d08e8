#include "gateway/retry_rules.h"

#include <gtest/gtest.h>

namespace brigada {

namespace {

using Models = std::vector<std::string>;

}  // namespace

TEST(RetryRules, the_narrowest_number_counts) {
    RouterSettings settings{.num_retries = 3};
    settings.retries.timeout = 1;
    settings.model_retries = {{.model = "m", .retries = {.timeout = 0, .rate_limit = 7}}};
    EXPECT_EQ(retries_for(settings, "m", {}, FailureKind::timeout), 0);
    EXPECT_EQ(retries_for(settings, "m", {}, FailureKind::rate_limit), 7);
    EXPECT_EQ(retries_for(settings, "m", {}, FailureKind::internal), 3);
    EXPECT_EQ(retries_for(settings, "other", {}, FailureKind::timeout), 1);
    EXPECT_EQ(retries_for(settings, "other", {}, FailureKind::authentication), 3);
}

TEST(RetryRules, a_prompt_that_is_refused_is_not_sent_to_the_same_model_again) {
    const RouterSettings settings{.num_retries = 3};
    EXPECT_EQ(retries_for(settings, "m", 5, FailureKind::rate_limit), 5) << "the upstream's own";
    EXPECT_EQ(retries_for(settings, "m", 5, FailureKind::too_long), 0);
    EXPECT_EQ(retries_for(settings, "m", {}, FailureKind::too_long), 0);
    EXPECT_EQ(retries_for(settings, "m", {}, FailureKind::content), 0);
}

TEST(RetryRules, each_failure_has_its_own_fallbacks) {
    const FallbackSettings settings{.general = {{"m", {"g1", "g2"}}},
                                    .context_window = {{"m", {"long"}}},
                                    .content_policy = {{"m", {"liberal"}}},
                                    .overload = {{"m", {"spare"}}},
                                    .otherwise = {"any"},
                                    .most = 2};
    EXPECT_EQ(fallbacks_for(settings, "m", FailureKind::internal), (Models{"g1", "g2"}));
    EXPECT_EQ(fallbacks_for(settings, "m", FailureKind::rate_limit), (Models{"spare", "g1"}));
    EXPECT_EQ(fallbacks_for(settings, "m", FailureKind::too_long), Models{"long"});
    EXPECT_EQ(fallbacks_for(settings, "m", FailureKind::content), Models{"liberal"});
    EXPECT_EQ(fallbacks_for(settings, "other", FailureKind::timeout), Models{"any"});
    EXPECT_EQ(fallbacks_for(settings, "other", FailureKind::too_long), Models{});
}

TEST(RetryRules, knows_the_words_of_refusals) {
    EXPECT_TRUE(says_too_long(R"({"error":{"code":"context_length_exceeded"}})"));
    EXPECT_TRUE(says_too_long("prompt is too long: 209000 tokens > 200000 maximum"));
    EXPECT_FALSE(says_too_long("model not found"));
    EXPECT_TRUE(says_content_refused(R"({"error":{"code":"content_policy_violation"}})"));
    EXPECT_FALSE(says_content_refused("model not found"));
}

}  // namespace brigada
