#include "gateway/refusal.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace brigada {
namespace {

Refusal spent_budget() {
    return {.status = 429,
            .type = "budget_exceeded",
            .message = "spent by caf\xc3\xa9",
            .may_retry = false,
            .resets_at = WallTime::seconds(1'800'000'000)};
}

TEST(Refusal, a_spent_budget_is_a_usage_limit_to_clients_of_responses) {
    const Json body = parse_json(refusal_body(spent_budget(), Dialect::responses), "").value();
    EXPECT_EQ(body["error"]["type"], "usage_limit_reached");
    EXPECT_EQ(body["error"]["code"], "budget_exceeded");
    EXPECT_EQ(body["error"]["resets_at"], 1'800'000'000);
    const HttpHeaders headers = refusal_headers(spent_budget(), Dialect::responses);
    EXPECT_EQ(headers.get("x-codex-promo-message"), "spent by caf??");
}

TEST(Refusal, others_hear_of_it_as_ever) {
    const Json chat = parse_json(refusal_body(spent_budget(), Dialect::chat), "").value();
    EXPECT_EQ(chat["error"]["type"], "budget_exceeded");
    EXPECT_EQ(chat["error"]["code"], "429");
    const Json messages = parse_json(refusal_body(spent_budget(), Dialect::messages), "").value();
    EXPECT_EQ(messages["error"]["type"], "billing_error");
    EXPECT_FALSE(refusal_headers(spent_budget(), Dialect::chat).has("x-codex-promo-message"));
    Refusal older = spent_budget();
    older.status = 400;
    const Json body = parse_json(refusal_body(older, Dialect::responses), "").value();
    EXPECT_EQ(body["error"]["type"], "budget_exceeded");
}

}  // namespace
}  // namespace brigada
