#include "route/upstream_load.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr Instant after(int64_t seconds) {
    return Instant::at_ns(0) + Duration::seconds(seconds);
}

TEST(UpstreamLoad, counts_a_prompt_until_its_first_token) {
    UpstreamLoad load;
    load.begin(CallId{1}, 1'000, after(0));
    load.begin(CallId{2}, 500, after(0));
    EXPECT_EQ(load.pending_tokens(), 1'500);
    load.first_token(CallId{1}, after(1));
    load.first_token(CallId{1}, after(1));
    EXPECT_EQ(load.pending_tokens(), 500);
    EXPECT_EQ(load.decoding(), 1u);
    load.end(CallId{1}, true, after(2));
    load.end(CallId{2}, false, after(2));
    EXPECT_EQ(load.calls(), 0u);
    EXPECT_EQ(load.latency(), Duration::seconds(2)) << "what failed has no latency";
    load.check();
}

TEST(UpstreamLoad, expects_the_oldest_prompt_to_be_read_as_time_goes) {
    UpstreamLoad load;
    load.begin(CallId{1}, 1'000, after(0));
    load.begin(CallId{2}, 700, after(1));
    EXPECT_EQ(load.pending_tokens_at(after(4), 100), 1'300);
    EXPECT_EQ(load.pending_tokens_at(after(60), 100), 700) << "never beyond that prompt";
    load.first_token(CallId{1}, after(60));
    EXPECT_EQ(load.pending_tokens_at(after(62), 100), 500);
}

TEST(UpstreamLoad, averages_latency_over_about_ten_calls) {
    UpstreamLoad load;
    for (uint64_t id = 0; id < 100; ++id) {
        load.begin(CallId{id}, 0, after(0));
        load.end(CallId{id}, true, id < 50 ? after(1) : after(3));
    }
    EXPECT_GT(load.latency(), Duration::milliseconds(2'990));
    EXPECT_LE(load.latency(), Duration::seconds(3));
}

TEST(UpstreamLoad, books_hold_in_any_order_of_events) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        UpstreamLoad load;
        std::map<CallId, std::pair<int64_t, bool>> calls;  // tokens, decodes
        uint64_t next = 1;
        for (int64_t t = 0; t < 300; ++t) {
            auto any = calls.begin();
            if (!calls.empty()) std::advance(any, int64_t(rng.below(calls.size())));
            const auto what = calls.empty() ? 0 : rng.below(3);
            if (what == 0) {
                const int64_t tokens = rng.between(0, 9'000);
                calls[CallId{next}] = {tokens, false};
                load.begin(CallId{next++}, tokens, after(t));
            } else if (what == 1) {
                any->second.second = true;
                load.first_token(any->first, after(t));
            } else {
                load.end(any->first, rng.chance(0.5), after(t));
                calls.erase(any);
            }
            load.check();
            int64_t pending = 0;
            for (const auto& [id, call] : calls)
                pending += call.second ? 0 : call.first;
            ASSERT_EQ(load.pending_tokens(), pending);
            ASSERT_EQ(load.calls(), calls.size());
        }
    }
}

}  // namespace
}  // namespace brigada
