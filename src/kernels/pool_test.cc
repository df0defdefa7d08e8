#include "kernels/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(Pool, runs_every_task_once_whatever_the_threads) {
    Rng rng(1);
    for (unsigned threads : {1u, 2u, 3u, 7u}) {
        Pool pool(threads);
        ASSERT_EQ(pool.threads(), threads);
        for (int round = 0; round < 200; ++round) {
            const size_t tasks = rng.below(50);
            std::vector<int> runs(tasks, 0);  // plain ints: visible after run() or tsan complains
            std::atomic<unsigned> widest = 0;
            pool.run(tasks, [&](size_t task, unsigned worker) {
                ++runs[task];
                for (unsigned seen = widest; seen < worker;)
                    widest.compare_exchange_weak(seen, worker);
            });
            ASSERT_EQ(runs, std::vector<int>(tasks, 1));
            ASSERT_LT(widest.load(), threads);
        }
    }
}

TEST(Pool, wakes_threads_that_went_to_sleep) {
    Pool pool(3, Duration::nanoseconds(0));  // nobody spins: every run wakes sleepers
    uint64_t sum = 0;
    for (int round = 0; round < 500; ++round) {
        std::vector<uint64_t> parts(8);
        pool.run(parts.size(), [&](size_t task, unsigned) { parts[task] = task + 1; });
        sum += std::accumulate(parts.begin(), parts.end(), uint64_t{0});
    }
    EXPECT_EQ(sum, 500u * 36);
}

TEST(Pool, lets_two_threads_meet_inside_a_run) {
    // Both tasks wait for each other, so the run ends only if two threads really take part.
    for (Duration spin : {Duration::nanoseconds(0), Pool::kSpin}) {
        Pool pool(2, spin);
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> arrived = 0;
            std::vector<unsigned> workers(2);
            pool.run(2, [&](size_t task, unsigned worker) {
                workers[task] = worker;
                ++arrived;
                while (arrived < 2)
                    std::this_thread::yield();
            });
            EXPECT_NE(workers[0], workers[1]);
        }
    }
}

TEST(Pool, begins_tasks_in_ascending_order) {
    Pool pool(2);
    std::vector<std::vector<size_t>> seen(2);
    pool.run(1000, [&](size_t task, unsigned worker) { seen[worker].push_back(task); });
    EXPECT_EQ(seen[0].size() + seen[1].size(), 1000u);
    for (const auto& tasks : seen)
        EXPECT_TRUE(std::is_sorted(tasks.begin(), tasks.end()));
}

TEST(Pool, runs_a_body_that_is_a_const_object) {
    Pool pool(2);
    std::atomic<size_t> sum = 0;
    const auto body = [&sum](size_t task, unsigned) { sum += task; };
    pool.run(10, body);
    EXPECT_EQ(sum.load(), 45u);
}

TEST(PoolDeathTest, refuses_a_run_inside_a_run) {
    EXPECT_DEATH(
        {
            Pool pool(1);
            pool.run(1, [&](size_t, unsigned) { pool.run(1, [](size_t, unsigned) {}); });
        },
        "two runs at once");
}

}  // namespace
}  // namespace brigada
