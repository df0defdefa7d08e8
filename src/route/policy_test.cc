#include "route/policy.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "base/rng.h"
#include "route/least_busy.h"
#include "route/lowest_cost.h"
#include "route/lowest_latency.h"
#include "route/lowest_usage.h"
#include "route/prefix_hash.h"
#include "route/round_robin.h"
#include "route/session_policy.h"
#include "route/weighted.h"

namespace brigada {
namespace {

constexpr Instant at_s(int64_t seconds) {
    return Instant::at_ns(0) + Duration::seconds(seconds);
}

/// Upstreams whose facts and load a test sets by hand.
class Pool {
  public:
    explicit Pool(size_t upstreams) {
        for (size_t i = 0; i < upstreams; ++i) {
            facts.push_back({.name = 1'000 + i, .prefill_tokens_per_s = 10'000});
            loads.emplace_back();
            cached.push_back(0);
            room.push_back(INT64_MAX);
        }
    }

    std::vector<Candidate> candidates() const {
        std::vector<Candidate> out;
        for (size_t i = 0; i < facts.size(); ++i)
            out.push_back({.id = UpstreamId{uint32_t(i)},
                           .facts = facts[i],
                           .load = loads[i],
                           .kv = {.cached_tokens = cached[i], .free_tokens = room[i]},
                           .is_pinned = pinned == i});
        return out;
    }

    std::optional<Route> choose(Policy& policy, const Call& call, Instant now = at_s(0)) const {
        std::vector<Candidate> open = candidates();
        return policy.choose(call, open, now);
    }

    void run(size_t upstream, int64_t uncached_tokens = 0, Instant now = at_s(0)) {
        loads[upstream].begin(CallId{++calls}, uncached_tokens, now);
    }

    std::vector<UpstreamFacts> facts;
    std::deque<UpstreamLoad> loads;
    std::vector<int64_t> cached;
    std::vector<int64_t> room;
    std::optional<size_t> pinned;
    uint64_t calls = 0;
};

Call call_of(uint64_t session, int64_t prompt_tokens = 100'000) {
    return {.id = CallId{session},
            .session = SessionId{session},
            .prompt_tokens = prompt_tokens,
            .output_tokens = 200};
}

TEST(Policy, leaves_out_upstreams_that_are_full) {
    Pool pool(2);
    pool.facts[0].max_concurrent = pool.facts[1].max_concurrent = 1;
    RoundRobin policy;
    pool.run(0);
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{1});
    pool.run(1);
    EXPECT_FALSE(pool.choose(policy, call_of(1)));
}

TEST(RoundRobin, gives_each_its_turn_also_when_some_are_away) {
    Pool pool(3);
    RoundRobin policy;
    std::vector<uint32_t> order;
    for (int i = 0; i < 6; ++i)
        order.push_back(raw(pool.choose(policy, call_of(1))->upstream));
    EXPECT_EQ(order, (std::vector<uint32_t>{0, 1, 2, 0, 1, 2}));
    const auto all = pool.candidates();
    std::vector<Candidate> last_two(all.begin() + 1, all.end());
    EXPECT_EQ(policy.choose(call_of(1), last_two, at_s(0))->upstream, UpstreamId{1});
}

TEST(Weighted, spreads_by_weight_and_never_in_bursts) {
    Pool pool(3);
    pool.facts[0].weight = 5;
    Weighted policy;
    std::vector<uint32_t> order;
    for (int i = 0; i < 7; ++i)
        order.push_back(raw(pool.choose(policy, call_of(1))->upstream));
    EXPECT_EQ(order, (std::vector<uint32_t>{0, 0, 1, 0, 2, 0, 0}));
}

TEST(LeastBusy, counts_calls_for_weight_and_spreads_an_idle_pool) {
    Pool pool(3);
    LeastBusy policy;
    std::map<UpstreamId, int> taken;
    for (uint64_t i = 0; i < 300; ++i)
        ++taken[pool.choose(policy, call_of(i))->upstream];
    for (const auto& [id, times] : taken)
        EXPECT_GT(times, 60) << "upstream " << raw(id);
    pool.facts[2].weight = 4;
    for (const size_t upstream : {0, 1, 2, 2, 2})
        pool.run(upstream);
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{2}) << "3 calls for weight 4";
}

TEST(LowestLatency, tries_the_unknown_then_prefers_the_fast_until_it_is_busy) {
    Pool pool(2);
    LowestLatency policy;
    pool.run(0);
    pool.loads[0].end(CallId{1}, true, at_s(2));
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{1}) << "never heard of";
    pool.run(1);
    pool.loads[1].end(CallId{2}, true, at_s(5));
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{0});
    pool.run(0);
    pool.run(0);
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{1}) << "3 x 2 s over 1 x 5 s";
}

TEST(LowestUsage, counts_the_tokens_of_the_last_minute_for_weight) {
    Pool pool(2);
    LowestUsage policy;
    pool.facts[1].weight = 3;
    EXPECT_EQ(pool.choose(policy, call_of(1, 60'000))->upstream, UpstreamId{0});
    for (uint64_t call = 2; call < 5; ++call)  // 60,200 for weight 1 against 3 x 30,200 for 3
        EXPECT_EQ(pool.choose(policy, call_of(call, 30'000), at_s(30))->upstream, UpstreamId{1});
    EXPECT_EQ(pool.choose(policy, call_of(5, 100'000), at_s(59))->upstream, UpstreamId{1});
    EXPECT_EQ(pool.choose(policy, call_of(6), at_s(59))->upstream, UpstreamId{0});
    EXPECT_EQ(pool.choose(policy, call_of(7), at_s(60))->reason, RouteReason::lowest_usage);
}

TEST(LowestUsage, spreads_by_calls_where_nobody_counts_tokens) {
    Pool pool(2);
    LowestUsage policy;
    pool.run(0);
    EXPECT_EQ(pool.choose(policy, call_of(1, 0))->upstream, UpstreamId{1});
}

TEST(LowestCost, prices_what_is_cached_at_its_own_rate) {
    Pool pool(2);
    LowestCost policy;
    pool.facts[0].rates = {3'000'000, 300'000, 15'000'000};
    pool.facts[1].rates = {2'000'000, 2'000'000, 15'000'000};
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{1});
    pool.cached = {90'000, 90'000};
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{0});
    pool.facts[1].rates = pool.facts[0].rates;
    pool.run(0);
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{1}) << "equal: the less busy";
}

TEST(PrefixHash, sends_equal_beginnings_to_one_place_within_the_bound) {
    Pool pool(4);
    PrefixHash policy(2);
    const std::vector<BlockKey> one = {BlockKey{1}, BlockKey{2}, BlockKey{3}};
    const std::vector<BlockKey> other = {BlockKey{1}, BlockKey{2}, BlockKey{9}};
    Call call = call_of(1);
    call.keys = one;
    const auto first = pool.choose(policy, call);
    call.keys = other;
    EXPECT_EQ(pool.choose(policy, call)->upstream, first->upstream);
    for (int i = 0; i < 5; ++i)
        pool.run(raw(first->upstream));
    const auto overflow = pool.choose(policy, call);
    EXPECT_NE(overflow->upstream, first->upstream);
    EXPECT_EQ(overflow->reason, RouteReason::hash_overflow);
}

TEST(SessionPolicy, sends_a_new_session_where_it_is_done_first) {
    Pool pool(3);
    SessionPolicy policy({});
    for (const size_t upstream : {0, 2})
        pool.run(upstream, 50'000);
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{1});
    pool.cached[2] = 80'000;  // 2 s of reading after 5 s of queue, against 10 s of reading
    const auto route = pool.choose(policy, call_of(1));
    EXPECT_EQ(route->upstream, UpstreamId{2});
    EXPECT_EQ(route->reason, RouteReason::cached);
    EXPECT_EQ(route->expected.queue, Duration::seconds(5));
    EXPECT_EQ(route->expected.prefill, Duration::seconds(2));
}

TEST(SessionPolicy, prefers_an_empty_upstream_to_one_whose_kv_is_in_use) {
    Pool pool(2);
    SessionPolicy policy({});
    pool.cached[0] = 20'000;  // 2 s less to read there, but 80,000 tokens of others would go
    pool.room[0] = 0;
    const auto route = pool.choose(policy, call_of(1));
    EXPECT_EQ(route->upstream, UpstreamId{1});
    EXPECT_EQ(route->expected.eviction, Duration());
    pool.room[1] = 0;
    EXPECT_EQ(pool.choose(policy, call_of(1))->upstream, UpstreamId{0}) << "both are full";
    EXPECT_EQ(pool.choose(policy, call_of(1))->expected.eviction, Duration::seconds(4));
}

TEST(SessionPolicy, stays_until_waiting_costs_more_than_reading_anew) {
    Pool pool(2);
    SessionPolicy policy({.reread_per_mille = 1'500, .move_margin = Duration::milliseconds(500)});
    pool.pinned = 0;
    pool.cached[0] = 100'000;  // moving means 10 s of reading, so 15.5 s must be saved
    pool.run(0, 150'000);
    const auto stays = pool.choose(policy, call_of(1));
    EXPECT_EQ(stays->upstream, UpstreamId{0});
    EXPECT_EQ(stays->reason, RouteReason::stays);
    pool.run(0, 10'000);
    const auto moves = pool.choose(policy, call_of(1));
    EXPECT_EQ(moves->upstream, UpstreamId{1});
    EXPECT_EQ(moves->reason, RouteReason::moves);
    ASSERT_TRUE(moves->had_it_stayed);
    EXPECT_EQ(moves->had_it_stayed->queue, Duration::seconds(16));
    EXPECT_EQ(pool.choose(policy, call_of(1), at_s(2))->upstream, UpstreamId{0})
        << "two seconds later 20,000 of those tokens are read";
}

TEST(SessionPolicy, does_not_move_where_reading_would_delay_many) {
    Pool pool(2);
    SessionPolicy policy({});
    pool.pinned = 0;
    pool.cached[0] = 100'000;
    pool.run(0, 300'000);
    EXPECT_EQ(pool.choose(policy, call_of(1))->reason, RouteReason::moves) << "30 s against 15.5";
    for (int i = 0; i < 2; ++i)
        pool.run(1, 100);
    EXPECT_EQ(pool.choose(policy, call_of(1))->reason, RouteReason::stays)
        << "10 s of reading would delay two others as well";
}

TEST(SessionPolicy, stays_without_asking_only_where_asking_would_say_so) {
    int stayed = 0;
    for (uint64_t seed = 0; seed < 3'000; ++seed) {
        Rng rng(seed);
        Pool pool(4);
        SessionPolicy policy({});
        pool.pinned = 0;
        Duration least_decode = Duration::max();
        for (size_t i = 0; i < 4; ++i) {
            pool.facts[i].decode_per_token = Duration::milliseconds(rng.between(5, 8));
            pool.facts[i].decode_per_peer = Duration::microseconds(rng.between(50, 500));
            pool.facts[i].max_concurrent = rng.chance(0.1) ? 2 : 0;
            least_decode = std::min(least_decode, pool.facts[i].decode_per_token);
            pool.cached[i] = rng.between(0, 10) * 1'000;
            pool.room[i] = rng.chance(0.3) ? 0 : 100'000;
            for (int64_t n = rng.between(0, 3); n > 0; --n)
                pool.run(i, rng.chance(0.7) ? 0 : rng.between(0, 20'000));
        }
        const Call call = call_of(1, 10'000);
        const auto route = policy.stay(call, pool.candidates().front(), least_decode, at_s(0));
        if (!route) continue;
        ++stayed;
        const auto asked = pool.choose(policy, call);
        ASSERT_EQ(asked->upstream, UpstreamId{0}) << seed;
        EXPECT_EQ(asked->reason, RouteReason::stays);
        EXPECT_EQ(asked->expected.total(), route->expected.total());
        EXPECT_EQ(asked->cached_tokens, route->cached_tokens);
    }
    EXPECT_GT(stayed, 100);
}

TEST(SessionPolicy, does_not_move_for_less_than_the_margin) {
    Pool pool(2);
    SessionPolicy policy({});
    pool.pinned = 0;
    pool.run(0, 4'000);  // its KV is lost; 0.4 s of queue
    EXPECT_EQ(pool.choose(policy, call_of(1))->reason, RouteReason::stays);
}

TEST(SessionPolicy, spills_from_an_upstream_with_more_than_its_share) {
    Pool pool(4);
    SessionPolicy policy({.load_bound_per_mille = 1'500, .load_floor_calls = 3});
    pool.pinned = 0;
    pool.cached[0] = 100'000;
    for (int i = 0; i < 2; ++i)
        pool.run(0);
    EXPECT_EQ(pool.choose(policy, call_of(1))->reason, RouteReason::stays) << "below the floor";
    for (int i = 0; i < 10; ++i)
        pool.run(0);
    const auto route = pool.choose(policy, call_of(1));
    EXPECT_EQ(route->reason, RouteReason::spills);
    EXPECT_NE(route->upstream, UpstreamId{0});
}

TEST(SessionPolicy, breaks_ties_alike_in_every_gateway) {
    Pool pool(8);
    SessionPolicy here({});
    SessionPolicy there({});
    std::map<UpstreamId, int> taken;
    for (uint64_t i = 1; i <= 400; ++i) {
        const auto chosen = pool.choose(here, call_of(i))->upstream;
        ASSERT_EQ(chosen, pool.choose(there, call_of(i))->upstream);
        ++taken[chosen];
    }
    for (const auto& [id, times] : taken)
        EXPECT_GT(times, 25) << "upstream " << raw(id);
}

TEST(SessionPolicy, puts_cold_sub_agents_of_one_parent_together) {
    Pool pool(8);
    SessionPolicy policy({});
    Call first = call_of(1);
    Call second = call_of(2);
    first.group = second.group = SessionId{77};
    EXPECT_EQ(pool.choose(policy, first)->upstream, pool.choose(policy, second)->upstream);
}

}  // namespace
}  // namespace brigada
