#include "gateway/upstream_state.h"

#include <gtest/gtest.h>

namespace brigada {

namespace {

constexpr Instant kStart = Instant::at_ns(1'000'000'000);

Instant after(int64_t seconds) {
    return kStart + Duration::seconds(seconds);
}

}  // namespace

TEST(UpstreamState, holds_requests_and_tokens_in_every_minute) {
    UpstreamState state({});
    state.set_limits({.requests_per_minute = 2, .tokens_per_minute = 1'000});
    ASSERT_TRUE(state.takes(600, kStart));
    const auto first = state.begin(600, kStart);
    EXPECT_FALSE(state.takes(600, after(1))) << "600 and 600 tokens";
    EXPECT_EQ(state.takes_from(600, after(1)), after(60));
    EXPECT_TRUE(state.takes(400, after(1)));
    state.settle(first, 100, {}, after(1));
    ASSERT_TRUE(state.takes(600, after(2)));
    state.begin(600, after(2));
    EXPECT_FALSE(state.takes(1, after(3))) << "two requests";
    EXPECT_TRUE(state.takes(1, after(60)));
    EXPECT_EQ(state.takes_from(1'001, kStart), Instant::never()) << "larger than the limit";
}

TEST(UpstreamState, without_limits_only_breaker_and_health_decide) {
    UpstreamState state({.allowed_failures = 0, .cooldown = Duration::seconds(5)});
    for (int i = 0; i < 1'000; ++i)
        state.begin(1'000'000, kStart), state.breaker.succeeded();
    EXPECT_TRUE(state.takes(1'000'000, kStart));
    EXPECT_EQ(state.calls, 1'000u);
    state.seems_down = true;
    EXPECT_FALSE(state.takes(1, kStart));
    state.seems_down = false;
    state.begin(1, kStart);
    state.breaker.failed(kStart);
    EXPECT_FALSE(state.takes(1, after(1)));
    EXPECT_EQ(state.takes_from(1, after(1)), after(5));
}

}  // namespace brigada
