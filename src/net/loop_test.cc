#include "net/loop.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "net/gone.h"
#include "net/signal.h"

namespace brigada {
namespace {

void spin(Duration duration) {
    const Instant end = Clock().now() + duration;
    while (Clock().now() < end) {
    }
}

TEST(Loop, runs_posted_work_in_order_on_its_own_thread) {
    Loop loop("test");
    std::vector<int> seen;
    bool inside = false;
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(loop.post([&seen, i] { seen.push_back(i); }));
    ASSERT_TRUE(loop.run([&] { inside = loop.in_loop(); }));
    ASSERT_EQ(seen.size(), 100u);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(seen[static_cast<size_t>(i)], i);
    EXPECT_TRUE(inside);
    EXPECT_FALSE(loop.in_loop());
}

TEST(Loop, refuses_what_its_box_cannot_hold) {
    Loop loop("test", {.max_posted = 3});
    std::promise<void> release, holding;
    ASSERT_TRUE(loop.post([&] {
        holding.set_value();
        release.get_future().wait();
    }));
    holding.get_future().wait();
    int done = 0;
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(loop.post([&] { ++done; }));
    EXPECT_FALSE(loop.post([&] { ++done; }));
    release.set_value();
    while (!loop.run([] {}))
        std::this_thread::yield();
    EXPECT_EQ(done, 3);
}

TEST(Loop, refuses_and_drops_work_once_stopped) {
    Loop loop("test");
    auto held = std::make_shared<int>(7);
    loop.stop();
    EXPECT_FALSE(loop.post([held] {}));
    EXPECT_FALSE(loop.run([held] {}));
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Loop, takes_work_from_many_threads) {
    Loop loop("test");
    uint64_t sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (uint64_t i = 1; i <= 1'000; ++i)
                while (!loop.post([&sum, i] { sum += i; })) {
                }
        });
    for (std::thread& thread : threads)
        thread.join();
    ASSERT_TRUE(loop.run([] {}));
    EXPECT_EQ(sum, 4u * 500'500u);
}

TEST(Loop, reports_its_own_stalls) {
    std::atomic<int64_t> reported_ms = 0;
    Loop loop("test",
              {.stall = Duration::milliseconds(60),
               .on_stall = [&](const std::string&, Duration late) { reported_ms = late.ms(); }});
    // Longer than a stall and one interval of the watch together, so that it cannot slip through.
    ASSERT_TRUE(loop.run([] { spin(Duration::milliseconds(130)); }));
    const Instant patience = Clock().now() + Duration::seconds(10);
    while (loop.stalls() == 0 && Clock().now() < patience)
        std::this_thread::yield();
    EXPECT_GE(loop.stalls(), 1u);
    EXPECT_GE(reported_ms, 60);
    EXPECT_GE(loop.take_longest_stall().ms(), 60);
}

TEST(Signal, wakes_its_waiter_once_for_each_notification) {
    Loop loop("test");
    Signal signal(loop.executor());
    std::promise<std::vector<bool>> result;
    ASSERT_TRUE(loop.spawn([](Signal& s, std::promise<std::vector<bool>>& out) -> Task<void> {
        std::vector<bool> woken;
        woken.push_back(co_await s.wait());
        woken.push_back(co_await s.wait(Duration::milliseconds(1)));
        s.notify();
        woken.push_back(co_await s.wait(Duration::milliseconds(1)));
        out.set_value(woken);
    }(signal, result)));
    ASSERT_TRUE(loop.post([&] { signal.notify(); }));
    EXPECT_EQ(result.get_future().get(), (std::vector<bool>{true, false, true}));
    loop.stop();
}

TEST(Gone, tells_who_watches_once_and_who_comes_late_at_once) {
    Gone gone;
    int first = 0, dropped = 0, late = 0;
    Gone::Watch watch = gone.watch([&] { ++first; });
    {
        const Gone::Watch other = gone.watch([&] { ++dropped; });
    }
    gone.happen();
    gone.happen();
    const Gone::Watch after = gone.watch([&] { ++late; });
    EXPECT_TRUE(gone.happened());
    EXPECT_EQ(first, 1);
    EXPECT_EQ(dropped, 0);
    EXPECT_EQ(late, 1);
}

TEST(Gone, lets_one_callback_drop_another) {
    Gone gone;
    int second = 0;
    Gone::Watch b;
    const Gone::Watch a = gone.watch([&] { b = Gone::Watch(); });
    b = gone.watch([&] { ++second; });
    gone.happen();
    EXPECT_EQ(second, 0);
}

}  // namespace
}  // namespace brigada
