#include "admit/sliding_window.h"

#include <algorithm>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr Duration kSpan = SlidingWindow::kSpan;

Instant at(int64_t ms) {
    return Instant::at_ns(ms * 1'000'000);
}

/// Remembers every entry for ever.
struct Log {
    struct Entry {
        Instant time;
        int64_t amount = 0;
        SlotId slot{};
    };
    std::vector<Entry> entries;

    /// In the span of `span` that ends with `now`; an entry just as old has left it.
    int64_t sum(Instant now, Duration span) const {
        int64_t sum = 0;
        for (const Entry& entry : entries)
            if (entry.time + span > now) sum += entry.amount;
        return sum;
    }

    /// In [end - 60 s, end).
    int64_t in_span_before(Instant end) const {
        const Instant last = end - Duration::nanoseconds(1);
        int64_t sum = 0;
        for (const Entry& entry : entries)
            if (entry.time <= last && entry.time + kSpan > last) sum += entry.amount;
        return sum;
    }

    /// The most in any span: a fullest one ends with an entry.
    int64_t most() const {
        int64_t most = 0;
        int64_t sum = 0;
        auto oldest = entries.begin();
        for (const Entry& entry : entries) {
            sum += entry.amount;
            for (; oldest->time + kSpan <= entry.time; ++oldest)
                sum -= oldest->amount;
            most = std::max(most, sum);
        }
        return most;
    }
};

TEST(SlidingWindow, counts_an_entry_for_sixty_seconds) {
    SlidingWindow window;
    window.add(3, at(500));
    window.add(4, at(700));
    EXPECT_EQ(window.used(at(60'499)), 7);
    EXPECT_EQ(window.used(at(60'500)), 4);
    EXPECT_EQ(window.used(at(60'700)), 0);
    EXPECT_EQ(window.empty_at(at(700)), at(60'700));
    EXPECT_TRUE(window.trim(at(60'700)));
    EXPECT_EQ(window.empty_at(at(60'700)), at(60'700));
}

TEST(SlidingWindow, counts_as_a_log_of_every_entry_does_or_a_second_longer) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        SlidingWindow window;
        Log log;
        Instant now = at(0);
        const int64_t longest_gap_us = rng.between(1, 400'000);  // dense and sparse
        for (int i = 0; i < 2'000; ++i) {
            now = now + Duration::microseconds(rng.between(0, longest_gap_us));
            const int64_t used = window.used(now);
            ASSERT_GE(used, log.sum(now, kSpan));
            ASSERT_LE(used, log.sum(now, kSpan + SlidingWindow::kGrain));
            if (rng.chance(0.7) || log.entries.empty()) {
                const int64_t amount = rng.between(0, 50);
                log.entries.push_back({now, amount, window.add(amount, now)});
            } else {
                Log::Entry& entry = log.entries[rng.below(log.entries.size())];
                const int64_t by = rng.between(-entry.amount, 50);
                window.change(entry.slot, by);
                entry.amount += by;
            }
            window.check();
        }
    }
}

TEST(SlidingWindow, is_exact_while_every_entry_has_its_own_slot) {
    Rng rng(7);
    SlidingWindow window;
    Log log;
    Instant now = at(0);
    for (int i = 0; i < 3'000; ++i) {
        now = now + Duration::milliseconds(rng.between(400, 2'000));  // fewer than 128 in 60 s
        ASSERT_EQ(window.used(now), log.sum(now, kSpan));
        log.entries.push_back({now, rng.between(0, 9), SlotId{}});
        window.add(log.entries.back().amount, now);
    }
}

/// Asks every `gap` for one more under `limit`; what was let in.
Log saturate(int64_t limit, Duration gap, Duration time) {
    SlidingWindow window;
    Log log;
    for (Instant now = at(0); now < at(0) + time; now = now + gap) {
        if (window.used(now) + 1 > limit) continue;
        log.entries.push_back({now, 1, window.add(1, now)});
        window.check();
    }
    return log;
}

TEST(SlidingWindow, admits_exactly_the_limit_in_every_minute_under_saturation) {
    for (const int64_t limit : {1, 2, 59, 100, 128}) {
        SCOPED_TRACE(limit);
        const Log log = saturate(limit, Duration::milliseconds(10), Duration::seconds(300));
        EXPECT_EQ(log.most(), limit);
        for (int64_t ms = 60'000; ms < 300'000; ms += 911)
            ASSERT_EQ(log.in_span_before(at(ms)), limit) << ms;
    }
}

TEST(SlidingWindow, never_admits_more_than_a_large_limit_and_reaches_it) {
    for (const int64_t limit : {129, 600, 5'000}) {
        SCOPED_TRACE(limit);
        const Log log = saturate(limit, Duration::microseconds(1'300), Duration::seconds(200));
        EXPECT_EQ(log.most(), limit);
        EXPECT_GE(std::ssize(log.entries), 3 * limit) << "the fourth round begins after 183 s";
    }
}

TEST(SlidingWindow, says_from_when_an_amount_fits) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        SlidingWindow window;
        Instant now = at(0);
        for (int i = 0; i < 300; ++i) {
            now = now + Duration::milliseconds(rng.between(0, 900));
            window.add(rng.between(0, 20), now);
            const int64_t limit = rng.between(0, 800);
            const int64_t amount = rng.between(0, 900);
            const std::optional<Instant> room = window.when_room(amount, limit, now);
            ASSERT_EQ(room.has_value(), amount <= limit);
            if (!room) continue;
            ASSERT_LE(window.used(*room) + amount, limit);
            if (*room > now)
                ASSERT_GT(window.used(*room - Duration::nanoseconds(1)) + amount, limit);
            else
                ASSERT_EQ(*room, now);
        }
    }
}

TEST(SlidingWindow, forgets_a_correction_that_comes_after_the_span) {
    SlidingWindow window;
    const SlotId slot = window.add(10, at(0));
    window.add(1, at(60'000));
    window.change(slot, 1'000);
    EXPECT_EQ(window.used(at(60'000)), 1);
    EXPECT_TRUE(window.trim(at(200'000)));
    window.change(slot, -10);
    EXPECT_EQ(window.used(at(200'000)), 0);
    window.check();
}

TEST(SlidingWindow, stays_small_whatever_comes) {
    SlidingWindow window;
    size_t most = 0;
    for (int64_t ms = 0; ms < 200'000; ms += 3) {
        window.add(1, at(ms));
        most = std::max(most, window.slots());
    }
    window.check();
    EXPECT_GT(most, SlidingWindow::kOwnSlots);
    EXPECT_LE(most, SlidingWindow::kMaxSlots);
}

TEST(SlidingWindowDeathTest, refuses_to_take_back_more_than_was_added) {
    SlidingWindow window;
    const SlotId slot = window.add(5, at(0));
    EXPECT_DEATH(window.change(slot, -6), "more was taken back than added");
}

}  // namespace
}  // namespace brigada
