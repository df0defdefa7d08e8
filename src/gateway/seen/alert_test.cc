#include "gateway/seen/alert.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace brigada {
namespace {

TEST(Alert, has_litellms_fields_and_null_where_it_has_nothing_to_say) {
    const Alert alert{.id = "a1",
                      .at = {1'772'366'400'000'000'000},
                      .event = "threshold_crossed",
                      .group = "team",
                      .message = "team red has spent $4.00 of $5.00: 80 % are reached",
                      .spent = Money::dollars(4),
                      .limit = Money::dollars(5),
                      .permille = 800,
                      .team = "t1",
                      .team_alias = "red"};
    const Json read = *parse_json(alert_json(alert), "alert");
    EXPECT_EQ(read["spend"], 4.0);
    EXPECT_EQ(read["max_budget"], 5.0);
    EXPECT_EQ(read["event"], "threshold_crossed");
    EXPECT_EQ(read["event_group"], "team");
    EXPECT_EQ(read["team_id"], "t1");
    EXPECT_EQ(read["threshold"], 0.8);
    EXPECT_EQ(read["time"], "2026-03-01T12:00:00.000Z");
    for (const char* field : {"token", "user_id", "key_alias", "user_email", "customer_id",
                              "projected_exceeded_date", "projected_spend"}) {
        ASSERT_TRUE(read.contains(field)) << field;
        EXPECT_TRUE(read[field].is_null()) << field;
    }
    EXPECT_FALSE(read.contains("budget_reset_at"));
}

// The example that libraries of the specification test themselves with.
TEST(WebhookSignature, is_that_of_standard_webhooks) {
    EXPECT_EQ(
        webhook_signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
                          1'614'265'330, R"({"test": 2432232314})"),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignature, depends_on_every_part) {
    const std::string one = webhook_signature("secret", "id", 1, "body");
    EXPECT_NE(one, webhook_signature("Secret", "id", 1, "body"));
    EXPECT_NE(one, webhook_signature("secret", "id2", 1, "body"));
    EXPECT_NE(one, webhook_signature("secret", "id", 2, "body"));
    EXPECT_NE(one, webhook_signature("secret", "id", 1, "bodY"));
    EXPECT_NE(one, webhook_signature("whsec_!", "id", 1, "body"));  // no base64: taken as it is
}

}  // namespace
}  // namespace brigada
