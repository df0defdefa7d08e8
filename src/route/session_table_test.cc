#include "route/session_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr SessionId kOne{1};
constexpr UpstreamId kA{1};
constexpr UpstreamId kB{2};

constexpr Instant after(int64_t seconds) {
    return Instant::at_ns(0) + Duration::seconds(seconds);
}

std::optional<UpstreamId> home(const SessionTable& table, SessionId session, Instant now) {
    const Session* found = table.find(session, now);
    return found ? found->upstream() : std::nullopt;
}

TEST(SessionTable, others_follow_a_tentative_upstream_until_it_fails) {
    SessionTable table({});
    table.begin(kOne, {}, kA, after(0));
    EXPECT_EQ(home(table, kOne, after(0)), kA);
    table.ended(kOne, kA, true, after(1));
    EXPECT_EQ(home(table, kOne, after(1)), std::nullopt);
    table.check();
}

TEST(SessionTable, a_move_that_fails_leaves_the_session_where_it_was) {
    SessionTable table({});
    table.begin(kOne, {}, kA, after(0));
    table.accepted(kOne, kA);
    table.begin(kOne, {}, kB, after(1));
    EXPECT_EQ(home(table, kOne, after(1)), kB);
    table.ended(kOne, kB, true, after(2));
    EXPECT_EQ(home(table, kOne, after(2)), kA);
    table.check();
}

TEST(SessionTable, a_late_failure_does_not_undo_a_newer_binding) {
    SessionTable table({});
    table.begin(kOne, {}, kA, after(0));
    table.accepted(kOne, kA);
    table.begin(kOne, {}, kB, after(1));
    table.accepted(kOne, kB);
    table.ended(kOne, kA, true, after(2));
    EXPECT_EQ(home(table, kOne, after(2)), kB);
    table.check();
}

TEST(SessionTable, idleness_counts_from_the_end_of_the_last_call) {
    SessionTable table({.idle = Duration::seconds(100)});
    table.begin(kOne, {}, kA, after(0));
    table.accepted(kOne, kA);
    EXPECT_EQ(home(table, kOne, after(5'000)), kA) << "a call is running";
    table.ended(kOne, kA, false, after(5'000));
    EXPECT_EQ(home(table, kOne, after(5'099)), kA);
    EXPECT_EQ(home(table, kOne, after(5'100)), std::nullopt);
    table.expire(after(5'100));
    EXPECT_EQ(table.size(), 0u);
    table.check();
}

TEST(SessionTable, when_full_the_session_idle_for_longest_makes_room) {
    SessionTable table({.max_sessions = 2});
    for (uint64_t id : {1, 2})
        table.begin(SessionId{id}, {}, kA, after(0));
    EXPECT_FALSE(table.begin(SessionId{3}, {}, kA, after(0))) << "both have calls running";
    table.ended(SessionId{2}, kA, false, after(1));
    table.ended(SessionId{1}, kA, false, after(2));
    EXPECT_TRUE(table.begin(SessionId{3}, {}, kA, after(3)));
    EXPECT_EQ(table.find(SessionId{2}, after(3)), nullptr);
    EXPECT_NE(table.find(SessionId{1}, after(3)), nullptr);
    table.check();
}

TEST(SessionTable, knows_the_sub_agents_of_a_session) {
    SessionTable table({});
    for (uint64_t id : {30, 10, 20})
        table.begin(SessionId{id}, kOne, kA, after(0));
    table.begin(kOne, {}, kA, after(0));
    table.name(SessionId{10}, "reviewer");
    EXPECT_EQ(table.members(kOne), (std::vector{SessionId{10}, SessionId{20}, SessionId{30}}));
    EXPECT_EQ(table.find(SessionId{10}, after(0))->agent, "reviewer");
    EXPECT_EQ(table.find(SessionId{20}, after(0))->agent, "");
    table.check();
}

TEST(SessionTable, remembers_the_last_calls_only) {
    SessionTable table({.remembered_calls = 3});
    table.begin(kOne, {}, kA, after(0));
    for (int64_t i = 0; i < 10; ++i)
        table.remember(kOne, {.at = after(i), .upstream = kA, .prompt_tokens = i}, {}, {});
    const auto& calls = table.find(kOne, after(10))->calls;
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls.front().prompt_tokens, 7);
    EXPECT_EQ(calls.back().prompt_tokens, 9);
}

/// Everything in lists, every rule by looking at all of it.
struct NaiveTable {
    struct Entry {
        std::optional<UpstreamId> pinned;
        std::optional<UpstreamId> tentative;
        int leases = 0;
        Instant idle_since;
    };
    Duration idle;
    size_t max_sessions;
    std::map<SessionId, Entry> entries;

    bool begin(SessionId session, UpstreamId upstream, Instant now) {
        std::erase_if(entries, [&](auto& e) {
            return e.second.leases == 0 && now - e.second.idle_since >= idle;
        });
        if (!entries.contains(session) && entries.size() == max_sessions) {
            auto oldest = entries.end();
            for (auto e = entries.begin(); e != entries.end(); ++e) {
                const bool is_older =
                    oldest == entries.end() || e->second.idle_since < oldest->second.idle_since;
                if (e->second.leases == 0 && is_older) oldest = e;
            }
            if (oldest == entries.end()) return false;
            entries.erase(oldest);
        }
        Entry& entry = entries[session];
        ++entry.leases;
        entry.tentative.reset();
        if (entry.pinned != upstream) entry.tentative = upstream;
        return true;
    }

    std::optional<UpstreamId> home(SessionId session, Instant now) const {
        const auto e = entries.find(session);
        if (e == entries.end()) return std::nullopt;
        if (e->second.leases == 0 && now - e->second.idle_since >= idle) return std::nullopt;
        return e->second.tentative ? e->second.tentative : e->second.pinned;
    }
};

struct RunningCall {
    SessionId session;
    UpstreamId upstream;
    bool accepted = false;
};

void end_one(Rng& rng, SessionTable& table, NaiveTable& naive, std::vector<RunningCall>& running,
             Instant now) {
    const auto which = running.begin() + int64_t(rng.below(running.size()));
    auto& entry = naive.entries.at(which->session);
    if (!which->accepted && rng.chance(0.6)) {
        which->accepted = true;
        table.accepted(which->session, which->upstream);
        entry.pinned = which->upstream;
        if (entry.tentative == which->upstream) entry.tentative.reset();
        return;
    }
    const bool failed = rng.chance(0.3) || !which->accepted;
    table.ended(which->session, which->upstream, failed, now);
    if (failed && entry.pinned == which->upstream) entry.pinned.reset();
    if (failed && entry.tentative == which->upstream) entry.tentative.reset();
    if (--entry.leases == 0) {
        entry.tentative.reset();
        entry.idle_since = now;
    }
    running.erase(which);
}

TEST(SessionTable, agrees_with_looking_at_everything) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        SessionTable table({.idle = Duration::seconds(40), .max_sessions = 5});
        NaiveTable naive{Duration::seconds(40), 5, {}};
        std::vector<RunningCall> running;
        Instant now = after(0);
        for (int i = 0; i < 400; ++i) {
            now = now + Duration::nanoseconds(rng.between(1, 10'000'000'000));
            const SessionId session{1 + rng.below(8)};
            const UpstreamId upstream{static_cast<uint32_t>(rng.below(3))};
            if (running.empty() || rng.chance(0.4)) {
                const bool began = table.begin(session, {}, upstream, now);
                ASSERT_EQ(began, naive.begin(session, upstream, now));
                if (began) running.push_back({session, upstream});
            } else {
                end_one(rng, table, naive, running, now);
            }
            table.check();
            for (uint64_t id = 1; id <= 8; ++id)
                ASSERT_EQ(home(table, SessionId{id}, now), naive.home(SessionId{id}, now));
        }
    }
}

}  // namespace
}  // namespace brigada
