#include "net/worker.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace brigada {

namespace {

/// Runs one awaited piece of work to its end and says what came of it, and where it came back.
struct Awaited {
    Result<int> result = Error{Code::internal, "nothing came"};
    bool on_loop = false;
};

Task<void> await_work(Loop& loop, Worker& worker, std::move_only_function<Result<int>()> work,
                      std::promise<Awaited>& done) {
    Awaited out;
    out.result = co_await worker.run<int>(loop, std::move(work));
    out.on_loop = loop.in_loop();
    done.set_value(std::move(out));
}

Awaited await_on(Loop& loop, Worker& worker, std::move_only_function<Result<int>()> work) {
    std::promise<Awaited> done;
    EXPECT_TRUE(loop.spawn(await_work(loop, worker, std::move(work), done)));
    return done.get_future().get();
}

}  // namespace

TEST(Worker, gives_the_result_back_on_the_loop) {
    Loop loop("test");
    Worker worker("worker");
    std::thread::id there;
    const Awaited got = await_on(loop, worker, [&]() -> Result<int> {
        there = std::this_thread::get_id();
        return 7;
    });
    ASSERT_TRUE(got.result.ok());
    EXPECT_EQ(*got.result, 7);
    EXPECT_TRUE(got.on_loop);
    EXPECT_NE(there, std::this_thread::get_id());
    EXPECT_FALSE(loop.in_loop());
}

TEST(Worker, passes_errors_on) {
    Loop loop("test");
    Worker worker("worker");
    const Awaited got =
        await_on(loop, worker, [] -> Result<int> { return Error{Code::io, "broken"}; });
    ASSERT_FALSE(got.result.ok());
    EXPECT_EQ(got.result.error().message, "broken");
}

TEST(Worker, works_in_the_order_of_giving_and_finishes_what_waits) {
    std::vector<int> seen;
    Worker worker("worker");
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(worker.give([&seen, i] { seen.push_back(i); }));
    worker.stop();
    ASSERT_EQ(seen.size(), 100u);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(seen[i], i);
}

TEST(Worker, refuses_when_too_many_wait_or_it_has_stopped) {
    Loop loop("test");
    Worker worker("worker", 1);
    std::promise<void> running, release;
    ASSERT_TRUE(worker.give([&] {
        running.set_value();
        release.get_future().wait();
    }));
    running.get_future().wait();
    ASSERT_TRUE(worker.give([] {}));
    EXPECT_FALSE(worker.give([] {}));
    const Awaited got = await_on(loop, worker, [] -> Result<int> { return 1; });
    ASSERT_FALSE(got.result.ok());
    EXPECT_EQ(got.result.error().code, Code::unavailable);
    release.set_value();
    worker.stop();
    EXPECT_FALSE(worker.give([] {}));
}

}  // namespace brigada
