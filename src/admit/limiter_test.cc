#include "admit/limiter.h"

#include <algorithm>
#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr ScopeId kTeam{1};
constexpr ScopeId kKey{2};
constexpr ScopeId kStranger{99};

Instant at(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

TEST(Limiter, admits_a_hundred_a_minute_and_says_when_the_next_fits) {
    Limiter limiter;
    limiter.set_limits(kKey, {.requests_per_minute = 100});
    const ScopeId scopes[] = {kKey};
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(limiter.reserve(scopes, 10, at(i)));
    const auto refused = limiter.reserve(scopes, 10, at(20'000));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (RateRefusal{.scope = kKey,
                                            .kind = LimitKind::requests,
                                            .limit = 100,
                                            .remaining = 0,
                                            .retry_after = Duration::seconds(40)}));
    EXPECT_FALSE(limiter.reserve(scopes, 10, at(59'999)));
    EXPECT_TRUE(limiter.reserve(scopes, 10, at(60'000)));
    limiter.check();
}

TEST(Limiter, takes_nothing_anywhere_for_a_refused_call) {
    Limiter limiter;
    limiter.set_limits(kTeam, {.requests_per_minute = 10, .tokens_per_minute = 1'000});
    limiter.set_limits(kKey, {.concurrent = 1});
    const ScopeId both[] = {kTeam, kKey};
    const auto first = limiter.reserve(both, 300, at(0));
    for (int i = 0; i < 50; ++i)
        ASSERT_FALSE(limiter.reserve(both, 300, at(i)));
    const Headroom headroom = limiter.headroom(both, at(100));
    EXPECT_EQ(headroom.requests, (Room{10, 9, Duration::milliseconds(59'900)}));
    EXPECT_EQ(headroom.tokens, (Room{1'000, 700, Duration::milliseconds(59'900)}));
    limiter.settle(first.value(), 300);
    EXPECT_TRUE(limiter.reserve(both, 300, at(200)));
}

TEST(Limiter, names_the_refusal_with_the_longest_wait) {
    Limiter limiter;
    limiter.set_limits(kTeam, {.tokens_per_minute = 100});
    const ScopeId team[] = {kTeam};
    ASSERT_TRUE(limiter.reserve(team, 100, at(0)));
    limiter.set_limits(kKey, {.requests_per_minute = 1, .concurrent = 1});
    const ScopeId key[] = {kKey};
    ASSERT_TRUE(limiter.reserve(key, 0, at(5'000)));
    const ScopeId both[] = {kTeam, kKey};
    const RateRefusal refusal = limiter.reserve(both, 1, at(6'000)).error();
    EXPECT_EQ(refusal.scope, kKey);
    EXPECT_EQ(refusal.kind, LimitKind::requests);
    EXPECT_EQ(refusal.retry_after, Duration::seconds(59));
}

TEST(Limiter, says_that_a_call_over_the_whole_limit_never_fits) {
    Limiter limiter;
    limiter.set_limits(kTeam, {.requests_per_minute = 1, .tokens_per_minute = 100});
    const ScopeId team[] = {kTeam};
    ASSERT_TRUE(limiter.reserve(team, 0, at(0)));
    EXPECT_EQ(limiter.reserve(team, 101, at(1)).error(), (RateRefusal{.scope = kTeam,
                                                                      .kind = LimitKind::tokens,
                                                                      .limit = 100,
                                                                      .remaining = 100,
                                                                      .never_fits = true}));
}

TEST(Limiter, does_not_know_when_a_running_call_ends) {
    Limiter limiter;
    limiter.set_limits(kKey, {.concurrent = 2});
    const ScopeId scopes[] = {kKey};
    const auto first = limiter.reserve(scopes, 1, at(0));
    ASSERT_TRUE(limiter.reserve(scopes, 1, at(0)));
    EXPECT_EQ(limiter.reserve(scopes, 1, at(0)).error(),
              (RateRefusal{.scope = kKey, .kind = LimitKind::concurrency, .limit = 2}));
    limiter.cancel(first.value());
    EXPECT_TRUE(limiter.reserve(scopes, 1, at(0)));
}

TEST(Limiter, settles_in_the_minute_of_the_reservation) {
    Limiter limiter;
    limiter.set_limits(kKey, {.tokens_per_minute = 1'000});
    const ScopeId scopes[] = {kKey};
    const auto first = limiter.reserve(scopes, 100, at(0));
    const auto second = limiter.reserve(scopes, 900, at(30'000));
    EXPECT_FALSE(limiter.reserve(scopes, 1, at(31'000)));
    limiter.settle(second.value(), 200);
    EXPECT_EQ(limiter.headroom(scopes, at(31'000)).tokens->remaining, 700);
    limiter.settle(first.value(), 1'500);  // more than the limit: nothing fits until it has left
    EXPECT_EQ(limiter.headroom(scopes, at(31'000)).tokens->remaining, 0);
    EXPECT_EQ(limiter.reserve(scopes, 0, at(31'000)).error().retry_after, Duration::seconds(29));
    EXPECT_EQ(limiter.headroom(scopes, at(60'000)).tokens->remaining, 800);
}

TEST(Limiter, keeps_the_use_when_limits_change_or_go_and_return) {
    Limiter limiter;
    limiter.set_limits(kKey, {.requests_per_minute = 10});
    const ScopeId scopes[] = {kKey};
    std::vector<RateReservation> open;
    for (int i = 0; i < 5; ++i)
        open.push_back(limiter.reserve(scopes, 10, at(i)).value());
    limiter.set_limits(kKey, {.requests_per_minute = 6, .tokens_per_minute = 70});
    EXPECT_EQ(limiter.headroom(scopes, at(10)).requests->remaining, 1);
    EXPECT_EQ(limiter.headroom(scopes, at(10)).tokens->remaining, 20);
    limiter.remove(kKey);
    limiter.sweep(at(20), 10);
    EXPECT_EQ(limiter.headroom(scopes, at(20)).requests, std::nullopt);
    EXPECT_TRUE(limiter.reserve(scopes, 10'000, at(30)));
    limiter.set_limits(kKey, {.requests_per_minute = 6, .concurrent = 6});
    EXPECT_EQ(limiter.reserve(scopes, 0, at(40)).error().kind, LimitKind::requests);
    limiter.check();
}

TEST(Limiter, forgets_scopes_without_limits_and_use) {
    Limiter limiter;
    for (uint64_t i = 0; i < 1'000; ++i)
        limiter.set_limits(ScopeId{i}, {.requests_per_minute = 1});
    const ScopeId scopes[] = {ScopeId{3}, ScopeId{4}};
    const RateReservation open = limiter.reserve(scopes, 1, at(0)).value();
    for (uint64_t i = 0; i < 1'000; i += 3)
        limiter.remove(ScopeId{i});
    limiter.sweep(at(100'000), 999);
    limiter.check();
    limiter.sweep(at(100'000), 1'000);
    limiter.check();
    EXPECT_EQ(limiter.scopes(), 667u) << "those with limits, and 3, where a call runs";
    limiter.settle(open, 1);
    limiter.sweep(at(100'000), 1'000);
    EXPECT_EQ(limiter.scopes(), 666u);
}

TEST(Limiter, does_not_overflow_on_garbage) {
    Limiter limiter;
    limiter.set_limits(kKey, {.tokens_per_minute = INT64_MAX});
    const ScopeId scopes[] = {kKey};
    for (int i = 0; i < 5; ++i)
        limiter.settle(limiter.reserve(scopes, INT64_MAX, at(0)).value(), INT64_MAX);
    limiter.check();
    EXPECT_GT(limiter.headroom(scopes, at(0)).tokens->remaining, INT64_MAX / 2);
}

TEST(LimiterDeathTest, settles_a_reservation_once) {
    Limiter limiter;
    const RateReservation id = limiter.reserve({}, 1, at(0)).value();
    limiter.settle(id, 1);
    EXPECT_DEATH(limiter.cancel(id), "reservation 1 is not open");
}

/// Every call there ever was, in a list. With at most 128 in a minute the limiter must agree.
struct Naive {
    struct Call {
        std::vector<ScopeId> scopes;
        Instant time;
        int64_t tokens = 0;
        bool is_open = true;
    };
    std::map<ScopeId, Limits> limits;
    std::map<RateReservation, Call> calls;

    int64_t requests(ScopeId scope, Instant now) const {
        return std::ranges::count_if(
            calls, [&](const auto& entry) { return counts(entry.second, scope, now); });
    }
    int64_t tokens(ScopeId scope, Instant now) const {
        int64_t sum = 0;
        for (const auto& [id, call] : calls)
            sum += counts(call, scope, now) ? call.tokens : 0;
        return sum;
    }
    int64_t running(ScopeId scope) const {
        return std::ranges::count_if(calls, [&](const auto& entry) {
            return entry.second.is_open && std::ranges::count(entry.second.scopes, scope) > 0;
        });
    }
    bool fits(ScopeId scope, int64_t amount, Instant now) const {
        const Limits& own = limits.at(scope);
        return requests(scope, now) + 1 <= own.requests_per_minute.value_or(INT64_MAX) &&
               tokens(scope, now) + amount <= own.tokens_per_minute.value_or(INT64_MAX) &&
               running(scope) + 1 <= own.concurrent.value_or(INT64_MAX);
    }

  private:
    static bool counts(const Call& call, ScopeId scope, Instant now) {
        return call.time + SlidingWindow::kSpan > now && std::ranges::count(call.scopes, scope) > 0;
    }
};

TEST(Limiter, admits_what_a_list_of_all_calls_admits) {
    for (uint64_t seed = 0; seed < 15; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Limiter limiter;
        Naive naive;
        Instant now = at(0);
        const auto maybe = [&](int64_t most) {
            return rng.chance(0.6) ? std::optional(rng.between(0, most)) : std::nullopt;
        };
        const auto set_some = [&](ScopeId scope) {
            naive.limits[scope] = {maybe(60), maybe(3'000), rng.between(0, 8)};
            limiter.set_limits(scope, naive.limits[scope]);
        };
        for (uint64_t i = 0; i < 4; ++i)
            set_some(ScopeId{i});
        for (int i = 0; i < 600; ++i) {
            now = now + Duration::milliseconds(rng.between(500, 2'000));
            if (rng.chance(0.02)) set_some(ScopeId{rng.below(4)});
            std::vector<ScopeId> scopes{kStranger};
            for (uint64_t s = 0; s < 4; ++s)
                if (rng.chance(0.5)) scopes.push_back(ScopeId{s});
            const int64_t tokens = rng.between(0, 400);
            const bool fits = std::ranges::all_of(scopes, [&](ScopeId scope) {
                return scope == kStranger || naive.fits(scope, tokens, now);
            });
            const auto id = limiter.reserve(scopes, tokens, now);
            ASSERT_EQ(id.has_value(), fits);
            if (fits) naive.calls[*id] = {scopes, now, tokens};
            for (auto call = naive.calls.begin(); call != naive.calls.end();) {
                const bool ends = call->second.is_open && rng.chance(0.2);
                const bool is_cancelled = ends && rng.chance(0.3);
                if (is_cancelled)
                    limiter.cancel(call->first);
                else if (ends)
                    limiter.settle(call->first, call->second.tokens = rng.between(0, 800));
                if (ends) call->second.is_open = false;
                call = is_cancelled ? naive.calls.erase(call) : std::next(call);
            }
            limiter.sweep(now, 2);
            limiter.check();
        }
    }
}

TEST(Limiter, keeps_its_word_about_when_to_retry) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Limiter limiter;
        limiter.set_limits(kTeam, {.requests_per_minute = 40, .tokens_per_minute = 5'000});
        limiter.set_limits(kKey, {.requests_per_minute = 30, .tokens_per_minute = 6'000});
        const ScopeId scopes[] = {kTeam, kKey};
        Instant now = at(0);
        for (int i = 0; i < 200; ++i) {
            now = now + Duration::milliseconds(rng.between(0, 1'000));
            const int64_t tokens = rng.between(0, 400);
            const auto id = limiter.reserve(scopes, tokens, now);
            if (id) {
                if (rng.chance(0.5)) limiter.settle(*id, rng.between(0, 400));
                continue;
            }
            const Duration wait = id.error().retry_after.value();
            ASSERT_GT(wait, Duration());
            ASSERT_FALSE(limiter.reserve(scopes, tokens, now + wait - Duration::nanoseconds(1)));
            now = now + wait;
            ASSERT_TRUE(limiter.reserve(scopes, tokens, now));
        }
    }
}

}  // namespace
}  // namespace brigada
