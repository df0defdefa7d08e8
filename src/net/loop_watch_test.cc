#include "net/loop_watch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <ctime>
#include <future>
#include <vector>

namespace brigada {
namespace {

constexpr Duration kHold = LoopWatch::kEvery * 3;

Duration cpu_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return Duration::seconds(now.tv_sec) + Duration::nanoseconds(now.tv_nsec);
}

/// A loop that is being watched.
class Watched {
  public:
    Watched() {
        std::promise<void> watched;
        loop_.run([&] {
            next_ = [&](const Lateness&) { watched.set_value(); };
            watch_.start();
        });
        watched.get_future().wait();
    }
    ~Watched() {
        std::promise<void> stopped;
        const auto stop = [&]() -> Task<void> {
            co_await watch_.stop();
            stopped.set_value();
        };
        EXPECT_TRUE(loop_.spawn(stop()));
        stopped.get_future().wait();
    }

    /// What was seen first after `hold` has held the loop.
    Lateness after(const std::function<void()>& hold) {
        std::promise<Lateness> seen;
        loop_.run([&] {
            next_ = [&](const Lateness& lateness) { seen.set_value(lateness); };
            hold();
        });
        return seen.get_future().get();
    }

  private:
    Loop loop_{"watched"};
    std::function<void(const Lateness&)> next_;
    LoopWatch watch_{loop_, [this](const Lateness& lateness) {
                         if (next_) std::exchange(next_, nullptr)(lateness);
                     }};
};

TEST(LoopWatch, sees_how_long_the_loop_was_held_by_its_own_work) {
    Watched watched;
    const Lateness seen = watched.after([] {
        const Duration end = cpu_time() + kHold;
        while (cpu_time() < end) {
        }
    });
    EXPECT_GE(seen.late, kHold - LoopWatch::kEvery);
    EXPECT_GE(seen.busy, kHold - LoopWatch::kEvery);
    EXPECT_LE(seen.busy, seen.late);
}

TEST(LoopWatch, tells_it_from_time_that_it_was_not_given) {
    Watched watched;
    const Lateness seen = watched.after([] { ::poll(nullptr, 0, static_cast<int>(kHold.ms())); });
    EXPECT_GE(seen.late, kHold - LoopWatch::kEvery);
    EXPECT_LT(seen.busy, kHold / 2);
}

}  // namespace
}  // namespace brigada
