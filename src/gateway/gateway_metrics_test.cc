#include "gateway/gateway_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/concat.h"

namespace brigada {

using testing::HasSubstr;
using testing::Not;

TEST(GatewayMetrics, adds_up_by_model_and_team) {
    GatewayMetrics metrics;
    metrics.spent("m", "red", {.input = 10, .cached_input = 5, .output = 2}, Money::dollars(1));
    metrics.spent("m", "blue", {.input = 1}, Money{});
    metrics.spent("n", "", {.output = 3}, Money::dollars(2));
    const std::string page = metrics.page({}, true);
    EXPECT_THAT(page, HasSubstr("brigada_tokens_total{model=\"m\",part=\"input\"} 11\n"));
    EXPECT_THAT(page,
                HasSubstr("brigada_team_tokens_total{part=\"cached_input\",team=\"red\"} 5\n"));
    EXPECT_THAT(page, HasSubstr("brigada_team_calls_total{team=\"none\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("brigada_team_spend_dollars_total{team=\"red\"} 1\n"));
    EXPECT_THAT(page, Not(HasSubstr("brigada_team_spend_dollars_total{team=\"blue\"}")));
}

TEST(GatewayMetrics, has_a_thousand_teams_at_most) {
    GatewayMetrics metrics;
    for (int i = 0; i < 1'200; ++i)
        metrics.spent("m", concat("team-", i), {.input = 1}, Money{});
    metrics.spent("m", "team-7", {.input = 1}, Money{});
    const std::string page = metrics.page({}, true);
    EXPECT_THAT(page, HasSubstr("brigada_team_calls_total{team=\"team-999\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("brigada_team_calls_total{team=\"team-7\"} 2\n"));
    EXPECT_THAT(page, HasSubstr("brigada_team_calls_total{team=\"other\"} 200\n"));
    EXPECT_THAT(page, Not(HasSubstr("team-1000\"")));
}

}  // namespace brigada
