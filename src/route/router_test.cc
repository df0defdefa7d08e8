#include "route/router.h"

#include <gtest/gtest.h>

#include "route/session_policy.h"

namespace brigada {
namespace {

constexpr UpstreamId kBoth[] = {UpstreamId{0}, UpstreamId{1}};
constexpr uint32_t kRoom = 10'000;  // blocks of KV

std::vector<BlockKey> chain(uint64_t seed, size_t blocks, std::vector<BlockKey> keys = {}) {
    Rng rng(seed);
    for (size_t i = 0; i < blocks; ++i)
        keys.push_back(BlockKey{rng.next()});
    return keys;
}

/// Two upstreams behind a router with the session policy, and a clock that a test turns.
class RouterTest : public testing::Test {
  protected:
    RouterTest() : router(std::make_unique<SessionPolicy>(SessionPolicyConfig{}), {}, Rng(1)) {
        for (const UpstreamId id : kBoth)
            router.add(id, {.name = 100 + raw(id), .kv_blocks = kRoom});
    }

    Call call_of(uint64_t session, const std::vector<BlockKey>& keys) {
        return {.id = CallId{++ids},
                .session = SessionId{session},
                .keys = keys,
                .prompt_tokens = int64_t(keys.size()) * kBlockTokens};
    }

    CallReport end(const Call& call, Ending ending, std::optional<int64_t> cached) {
        now = now + Duration::seconds(1);
        std::optional<ReportedPrompt> reported;
        if (cached) reported = {call.prompt_tokens, *cached};
        return end_as(call, ending, reported);
    }

    CallReport end_as(const Call& call, Ending ending,
                      const std::optional<ReportedPrompt>& reported) {
        const CallReport report = router.ended(call.id, ending, reported, now);
        router.check();
        return report;
    }

    Route start(const Call& call) {
        const Route route = *router.choose(call, kBoth, now);
        router.accepted(call);
        router.first_token(call.id, now);
        router.check();
        return route;
    }

    Router router;
    Instant now = Instant::at_ns(1);
    uint64_t ids = 0;
};

TEST_F(RouterTest, compares_by_proportion_with_an_upstream_that_counts_other_tokens) {
    const auto first_keys = chain(1, 500);
    const Call first = call_of(7, first_keys);
    start(first);
    end_as(first, Ending::answered, ReportedPrompt{.tokens = 10'000, .cached_tokens = 0});
    for (uint64_t turn = 0; turn < 10; ++turn) {  // a quarter more tokens than we had counted
        const auto keys = chain(2 + turn, 100, first_keys);
        const Call call = call_of(7, keys);
        const Route route = start(call);
        EXPECT_EQ(route.cached_tokens, 500 * kBlockTokens);
        const CallReport report = end_as(call, Ending::answered,
                                         ReportedPrompt{.tokens = 12'000, .cached_tokens = 10'000});
        EXPECT_EQ(report.predicted_tokens, 10'000);
        EXPECT_EQ(report.reported_tokens, 10'000);
        EXPECT_EQ(router.index().trust_per_mille(route.upstream), 1'000u);
    }
}

TEST_F(RouterTest, keeps_a_session_where_its_kv_is_and_checks_what_it_predicted) {
    const auto first_keys = chain(1, 500);
    const Call first = call_of(7, first_keys);
    const Route there = start(first);
    EXPECT_EQ(end(first, Ending::answered, 0).miss.cause, MissCause::first_call);

    const auto keys = chain(2, 20, first_keys);
    const Call second = call_of(7, keys);
    const Route route = start(second);
    EXPECT_EQ(route.upstream, there.upstream);
    EXPECT_EQ(route.reason, RouteReason::stays);
    EXPECT_EQ(route.cached_tokens, 500 * kBlockTokens);
    const CallReport report = end(second, Ending::answered, 500 * kBlockTokens);
    EXPECT_EQ(report.predicted_tokens, report.reported_tokens);
    EXPECT_EQ(report.miss.cause, MissCause::none);

    const Session& session = *router.sessions().find(SessionId{7}, now);
    ASSERT_EQ(session.calls.size(), 2u);
    EXPECT_EQ(session.calls.back().upstream, there.upstream);
    EXPECT_EQ(session.calls.back().predicted_tokens, 500 * kBlockTokens);
}

TEST_F(RouterTest, a_call_that_no_upstream_took_leaves_no_trace) {
    const auto keys = chain(1, 500);
    const Call call = call_of(7, keys);
    const Route route = *router.choose(call, kBoth, now);
    EXPECT_EQ(router.load(route.upstream).calls(), 1u);
    end(call, Ending::failed, std::nullopt);
    EXPECT_EQ(router.load(route.upstream).calls(), 0u);
    EXPECT_EQ(router.index().held(route.upstream).blocks(), 0u);
    EXPECT_EQ(router.sessions().find(SessionId{7}, now)->upstream(), std::nullopt);
}

TEST_F(RouterTest, says_that_the_upstream_of_a_session_was_away) {
    const auto keys = chain(1, 500);
    const Call first = call_of(7, keys);
    const UpstreamId home = start(first).upstream;
    end(first, Ending::answered, 0);
    const UpstreamId other[] = {UpstreamId{1 - raw(home)}};
    const Call second = call_of(7, keys);
    const Route route = *router.choose(second, other, now);
    EXPECT_EQ(route.reason, RouteReason::displaced);
    router.accepted(second);
    EXPECT_EQ(end(second, Ending::answered, 0).miss.cause, MissCause::other_upstream);
}

TEST_F(RouterTest, names_a_restart) {
    const auto keys = chain(1, 500);
    const Call first = call_of(7, keys);
    const UpstreamId home = start(first).upstream;
    end(first, Ending::answered, 0);
    router.restarted(home);
    const Call second = call_of(7, keys);
    EXPECT_EQ(start(second).cached_tokens, 0);
    EXPECT_EQ(end(second, Ending::answered, 0).miss.cause, MissCause::restarted);
    EXPECT_EQ(router.index().trust_per_mille(home), 1'000u) << "it was not expected to hit";
}

TEST_F(RouterTest, an_upstream_that_leaves_finishes_its_calls) {
    const auto keys = chain(1, 500);
    const Call call = call_of(7, keys);
    const UpstreamId home = start(call).upstream;
    router.remove(home);
    router.check();
    const Call next = call_of(7, keys);
    EXPECT_NE(start(next).upstream, home);
    end(call, Ending::answered, 0);
    end(next, Ending::cancelled, std::nullopt);
    const UpstreamId only[] = {home};
    EXPECT_FALSE(router.choose(call_of(8, keys), only, now));
}

TEST_F(RouterTest, sends_siblings_that_share_a_prefix_after_the_first) {
    const auto shared = chain(1, 2'000);
    const auto one = chain(2, 10, shared);
    const auto two = chain(3, 10, shared);
    const Call first = call_of(7, one);
    const Route there = start(first);
    const Call second = call_of(8, two);
    const Route route = start(second);
    EXPECT_EQ(route.upstream, there.upstream);
    EXPECT_EQ(route.reason, RouteReason::cached);
}

TEST_F(RouterTest, books_hold_through_random_lives_of_calls) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        std::vector<std::pair<Call, std::vector<BlockKey>>> running;
        for (int i = 0; i < 300; ++i) {
            now = now + Duration::milliseconds(rng.between(0, 2'000));
            if (running.empty() || rng.chance(0.45)) {
                auto keys = chain(rng.below(10), 30);
                const Call call = call_of(rng.below(12), keys);  // 0: no session
                if (router.choose(call, kBoth, now)) running.emplace_back(call, std::move(keys));
            } else {
                const auto which = running.begin() + int64_t(rng.below(running.size()));
                which->first.keys = which->second;
                if (rng.chance(0.7)) router.accepted(which->first);
                if (rng.chance(0.5)) router.first_token(which->first.id, now);
                if (rng.chance(0.1)) router.restarted(kBoth[rng.below(2)]);
                end(which->first, static_cast<Ending>(rng.below(3)), rng.between(0, 480));
                running.erase(which);
            }
        }
        for (const auto& [call, keys] : running)
            end(call, Ending::cancelled, std::nullopt);
        for (const UpstreamId id : kBoth)
            EXPECT_EQ(router.load(id).calls(), 0u);
    }
}

}  // namespace
}  // namespace brigada
