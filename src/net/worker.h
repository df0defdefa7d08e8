// Worker: a thread for what must not wait on a loop, such as reading a database or an fsync. A
// coroutine gives it work, sleeps, and goes on with the result on its own loop.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"
#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

class Worker {
  public:
    /// `name` shows in debuggers; Linux keeps its first 15 characters.
    explicit Worker(const std::string& name, size_t max_waiting = 4'096);
    /// Stops, see stop().
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Runs `work` on the worker's thread, in the order of giving. Any thread. False, and `work` is
    /// dropped, when too many wait or the worker has stopped.
    [[nodiscard]] bool give(std::move_only_function<void()> work);

    /// Awaited on `loop`: what `work` returned on the worker's thread. What `work` refers to must
    /// live until the worker has stopped: a coroutine that is destroyed does not stop its work.
    /// Error::unavailable when too many wait or the worker has stopped.
    template <typename T>
    Task<Result<T>> run(Loop& loop, std::move_only_function<Result<T>()> work);

    /// Finishes what waits, then ends the thread. Before the loops that await its results end.
    void stop();

  private:
    void work_until_stopped();

    const size_t max_waiting_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::move_only_function<void()>> waiting_;
    bool stopping_ = false;
    std::thread thread_;
};

template <typename T>
Task<Result<T>> Worker::run(Loop& loop, std::move_only_function<Result<T>()> work) {
    struct Answer {
        explicit Answer(Loop& loop) : came(loop.executor()) {}
        Signal came;
        std::optional<Result<T>> result;
    };
    auto answer = std::make_shared<Answer>(loop);
    const bool taken = give([answer, &loop, work = std::move(work)]() mutable {
        (void)loop.post([answer = std::move(answer), result = work()]() mutable {
            answer->result = std::move(result);
            answer->came.notify();
        });
    });
    if (!taken) co_return Error{Code::unavailable, "too much work waits for the disk"};
    while (!answer->result)
        co_await answer->came.wait();
    co_return std::move(*answer->result);
}

}  // namespace brigada
