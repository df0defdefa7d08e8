#include "load/player.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "load/traces_for_tests.h"

namespace brigada {

namespace {

constexpr Instant kStart = Instant::at_ns(1'000'000'000);

Duration s(int64_t seconds) {
    return Duration::seconds(seconds);
}

struct Sent {
    DueCall call;
    Instant at, ended;
};

/// Plays a trace in made-up time: each call takes `service`, and fails where `fails` says so.
struct World {
    const Trace& trace;
    PlayOptions options;
    Duration service = s(1);
    std::function<bool(const DueCall&)> fails = [](const DueCall&) { return false; };
    Duration cut = s(100'000);

    std::vector<Sent> run() {
        Player player(trace, options, kStart);
        std::multimap<Instant, DueCall> running;
        std::vector<Sent> out;
        Instant now = kStart;
        while (now < kStart + cut) {
            while (!running.empty() && running.begin()->first <= now) {
                const DueCall call = running.begin()->second;
                running.erase(running.begin());
                player.ended(call.play, now, !fails(call));
                player.check();
            }
            while (const auto due = player.take(now)) {
                out.push_back({*due, now, now + service});
                running.emplace(now + service, *due);
                player.check();
            }
            if (player.over(now) && running.empty()) return out;
            const Instant next = std::min(
                player.next_due(), running.empty() ? Instant::never() : running.begin()->first);
            if (next == Instant::never()) return out;
            now = std::max(now, next);
        }
        return out;
    }
};

std::vector<int64_t> seconds_of(const std::vector<Sent>& sent) {
    std::vector<int64_t> out;
    for (const Sent& one : sent)
        out.push_back((one.at - kStart).ns() / 1'000'000'000);
    return out;
}

TEST(Player, sends_the_next_call_a_gap_after_the_answer) {
    Trace trace = empty_trace();
    add_session(trace, 3, s(5));
    const auto sent = World{trace, {.repeats = false}}.run();
    EXPECT_EQ(seconds_of(sent), (std::vector<int64_t>{0, 6, 12}));
    EXPECT_TRUE(sent[2].call.last);
    EXPECT_FALSE(sent[1].call.last);
}

TEST(Player, scales_gaps_and_cuts_what_is_too_long) {
    Trace trace = empty_trace();
    TraceSession& session = add_session(trace, 3, s(10));
    session.calls[2].gap = s(1'000);
    const auto sent = World{trace, {.time_scale = 0.5, .max_gap = s(20), .repeats = false}}.run();
    EXPECT_EQ(seconds_of(sent), (std::vector<int64_t>{0, 6, 27}));
}

TEST(Player, keeps_so_many_sessions_going_and_begins_the_trace_anew) {
    Trace trace = empty_trace();
    for (int i = 0; i < 3; ++i)
        add_session(trace, 2, s(1));
    const auto sent = World{trace, {.sessions = 2, .duration = s(30)}}.run();
    std::map<int64_t, int> at_once;
    for (const Sent& one : sent) {
        EXPECT_LT(one.at, kStart + s(30));
        ++at_once[(one.at - kStart).ns()];
    }
    for (const auto& [at, count] : at_once)
        EXPECT_LE(count, 2);
    EXPECT_EQ(sent.size(), 40u);            // two calls in 3 s: 1 s each, and a gap between them
    EXPECT_EQ(sent.back().call.round, 6u);  // 20 sessions, 3 in a round
}

TEST(Player, without_repeats_plays_every_call_of_the_trace_once) {
    Trace trace = empty_trace();
    for (int i = 0; i < 5; ++i)
        add_session(trace, 3, s(2));
    for (const Pace pace : {Pace::closed, Pace::open, Pace::recorded}) {
        std::map<std::pair<uint32_t, uint32_t>, int> seen;
        for (const Sent& one : World{trace, {.pace = pace, .sessions = 2, .repeats = false}}.run())
            ++seen[{one.call.session, one.call.call}];
        EXPECT_EQ(seen.size(), trace.calls());
        for (const auto& [call, times] : seen)
            EXPECT_EQ(times, 1);
    }
}

TEST(Player, spreads_the_first_sessions_over_the_ramp) {
    Trace trace = empty_trace();
    add_session(trace, 1);
    const auto sent = World{trace, {.sessions = 4, .ramp = s(8), .max_calls = 4}, s(100)}.run();
    EXPECT_EQ(seconds_of(sent), (std::vector<int64_t>{0, 2, 4, 6}));
}

TEST(Player, begins_open_sessions_whatever_still_runs) {
    Trace trace = empty_trace();
    add_session(trace, 1);
    const auto sent =
        World{trace,
              {.pace = Pace::open, .arrivals = {.per_second = 2, .cv = 0}, .duration = s(10)},
              s(1'000)}
            .run();
    ASSERT_EQ(sent.size(), 20u);
    for (size_t i = 0; i < sent.size(); ++i)
        EXPECT_EQ((sent[i].at - kStart).ms(), static_cast<int64_t>(500 * i));
}

TEST(Player, replays_recorded_starts_in_their_order_times_the_scale) {
    Trace trace = empty_trace();
    add_session(trace, 1, {}, Instant::at_ns(70'000'000'000));
    add_session(trace, 1, {}, Instant::at_ns(50'000'000'000));
    add_session(trace, 1, {}, Instant::at_ns(54'000'000'000));
    const auto sent = World{trace, {.pace = Pace::recorded, .time_scale = 0.5}}.run();
    EXPECT_EQ(seconds_of(sent), (std::vector<int64_t>{0, 2, 10}));
    EXPECT_EQ(sent[0].call.session, 1u);
}

TEST(Player, tells_how_late_a_call_is_that_the_limit_held_back) {
    Trace trace = empty_trace();
    add_session(trace, 1);
    const auto sent = World{trace,
                            {.pace = Pace::open,
                             .arrivals = {.per_second = 1, .cv = 0},
                             .concurrency = 1,
                             .duration = s(4)},
                            s(3)}
                          .run();
    ASSERT_GE(sent.size(), 2u);
    EXPECT_EQ(sent[1].call.due, kStart + s(1));
    EXPECT_EQ(sent[1].at, kStart + s(3));
}

TEST(Player, holds_back_by_the_limit_and_never_by_the_number_of_calls_asked_for) {
    Trace trace = empty_trace();
    add_session(trace, 2);
    const auto held_back = [&](uint32_t concurrency, uint64_t max_calls) {
        Player player(trace,
                      {.pace = Pace::open,
                       .arrivals = {.per_second = 1, .cv = 0},
                       .concurrency = concurrency,
                       .duration = s(9),
                       .max_calls = max_calls},
                      kStart);
        EXPECT_TRUE(player.take(kStart));
        EXPECT_EQ(player.take(kStart + s(3)).has_value(), concurrency == 0 && max_calls > 1);
        return player.held_back(kStart + s(3));
    };
    EXPECT_EQ(held_back(1, 100), 3u);
    EXPECT_EQ(held_back(1, 1), 0u) << "all that was asked for is sent";
    EXPECT_EQ(held_back(0, 1), 0u);
    EXPECT_EQ(held_back(0, 100), 0u) << "due, and sent as soon as it is taken";
}

TEST(Player, lets_a_parent_wait_for_its_sub_agents) {
    Trace trace = empty_trace();
    add_session(trace, 3, s(1));
    for (const int64_t start : {0, 2}) {
        TraceSession& agent = add_session(trace, 2, s(1), Instant::at_ns(start * 1'000'000'000));
        agent.parent = ParentCall{.session = 0, .call = 0};
    }
    const auto sent = World{trace, {.repeats = false}}.run();
    // Parent 0 to 1; agents at 1 and 3, each 2 calls and a gap: over at 4 and 6; parent at 6 and 8.
    EXPECT_EQ(seconds_of(sent), (std::vector<int64_t>{0, 1, 3, 3, 5, 6, 8}));
    for (const Sent& one : sent)
        EXPECT_EQ(one.call.root, sent[0].call.play);
}

TEST(Player, a_sub_agent_of_the_last_call_keeps_its_place) {
    Trace trace = empty_trace();
    add_session(trace, 1);
    add_session(trace, 2, s(3)).parent = ParentCall{.session = 0, .call = 0};
    const auto sent = World{trace, {.max_calls = 4}}.run();
    EXPECT_EQ(seconds_of(sent), (std::vector<int64_t>{0, 1, 5, 6}));
    EXPECT_EQ(sent[3].call.session, 0u);
}

TEST(Player, waits_after_a_failure_before_it_asks_again) {
    Trace trace = empty_trace();
    add_session(trace, 2);
    World world{trace, {.max_calls = 4, .pause_after_failure = s(7)}, Duration()};
    world.fails = [](const DueCall&) { return true; };
    EXPECT_EQ(seconds_of(world.run()), (std::vector<int64_t>{0, 7, 14, 21}));
}

TEST(Player, begins_in_the_middle_only_where_it_is_asked_to) {
    Trace trace = empty_trace();
    add_session(trace, 50);
    std::map<uint32_t, int> first_calls;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        const auto sent = World{trace, {.max_calls = 1, .mid_session = true, .seed = seed}}.run();
        ++first_calls[sent[0].call.call];
    }
    EXPECT_GT(first_calls.size(), 10u);
}

/// Any trace and any options: books hold, no call comes before what it waits for, and the same seed
/// sends the same.
TEST(Player, keeps_its_books_whatever_it_plays) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Trace trace = empty_trace();
        for (uint32_t i = 0; i < 1 + rng.below(6); ++i) {
            TraceSession& session = add_session(trace, 1 + rng.below(4), s(rng.between(0, 4)),
                                                Instant::at_ns(rng.between(0, 9) * 1'000'000'000));
            if (i > 0 && rng.chance(0.5)) {
                const auto parent = static_cast<uint32_t>(rng.below(i));
                const size_t calls = trace.sessions[parent].calls.size();
                session.parent = {.session = parent,
                                  .call = static_cast<uint32_t>(rng.below(calls))};
            }
        }
        const PlayOptions options{.pace = static_cast<Pace>(rng.below(3)),
                                  .sessions = static_cast<uint32_t>(1 + rng.below(4)),
                                  .arrivals = {.per_second = 1, .cv = 1},
                                  .concurrency = static_cast<uint32_t>(rng.below(3)),
                                  .duration = s(rng.between(5, 60)),
                                  .max_calls = 200,
                                  .repeats = rng.chance(0.5),
                                  .seed = seed};
        World world{trace, options, Duration::milliseconds(rng.between(0, 3'000))};
        world.fails = [](const DueCall& call) { return call.call == 1; };
        const auto sent = world.run();
        ASSERT_FALSE(sent.empty());
        std::map<uint64_t, Sent> last;
        for (const Sent& one : sent) {
            EXPECT_GE(one.at, one.call.due);
            const auto before = last.find(one.call.play);
            if (before != last.end()) {
                EXPECT_EQ(one.call.call, before->second.call.call + 1);
                EXPECT_GE(one.call.due, before->second.ended);
            }
            last[one.call.play] = one;
        }
        const auto again = world.run();
        ASSERT_EQ(again.size(), sent.size());
        for (size_t i = 0; i < sent.size(); ++i)
            EXPECT_EQ(again[i].call, sent[i].call);
    }
}

}  // namespace

}  // namespace brigada
