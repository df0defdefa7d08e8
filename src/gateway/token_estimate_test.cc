#include "gateway/token_estimate.h"

#include <gtest/gtest.h>

namespace brigada {

TEST(TokenEstimate, begins_with_four_bytes_a_token) {
    const TokenEstimate estimate;
    EXPECT_EQ(estimate.tokens("m", 0), 0);
    EXPECT_EQ(estimate.tokens("m", 1), 1);
    EXPECT_EQ(estimate.tokens("m", 400'000), 100'000);
    EXPECT_EQ(estimate.tokens("m", INT64_MAX / 8), INT64_MAX / 32 + 1) << "rounded up";
}

TEST(TokenEstimate, takes_a_models_first_report_whole_and_moves_with_the_others) {
    TokenEstimate estimate;
    estimate.learn("m", 300'000, 100'000);
    EXPECT_NEAR(estimate.tokens("m", 600'000), 200'000, 2);
    EXPECT_EQ(estimate.tokens("other", 600'000), 150'000) << "each model has its own";
    estimate.learn("m", 500'000, 100'000);
    const int64_t after_one = estimate.tokens("m", 600'000);
    EXPECT_LT(after_one, 200'000);
    EXPECT_GT(after_one, 180'000);
    for (int i = 0; i < 100; ++i)
        estimate.learn("m", 500'000, 100'000);
    EXPECT_NEAR(estimate.tokens("m", 600'000), 120'000, 50);
}

TEST(TokenEstimate, learns_nothing_from_short_prompts_and_nonsense) {
    TokenEstimate estimate;
    estimate.learn("m", 100, 90);
    estimate.learn("m", 400'000, 0);
    estimate.learn("m", 400'000, -5);
    estimate.learn("m", 400'000, 4'000'000'000);
    estimate.learn("m", 400'000, 10);
    EXPECT_EQ(estimate.tokens("m", 400'000), 100'000);
}

}  // namespace brigada
