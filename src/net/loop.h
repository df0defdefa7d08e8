// Loop: one thread that runs coroutines and owns what they touch. Other threads hand it closures by
// post(); everything else here is for its own thread. A loop measures its own stalls: how late it
// came to work that was ready.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/time.h"

namespace brigada {

using LoopExecutor = boost::asio::io_context::executor_type;

/// A coroutine on a loop: `Task<int> f()` is awaited with `co_await f()`.
template <typename T = void>
using Task = boost::asio::awaitable<T, LoopExecutor>;

struct LoopOptions {
    /// Closures from other threads that may wait at once; post() refuses the next one.
    size_t max_posted = 65'536;
    /// Lateness from this on counts as a stall and is told to `on_stall`, on the loop's thread.
    Duration stall = Duration::milliseconds(100);
    std::function<void(const std::string& loop, Duration late)> on_stall = {};
};

class Loop {
  public:
    /// Starts the thread. `name` shows in debuggers and traces; Linux keeps its first 15
    /// characters.
    explicit Loop(std::string name, LoopOptions options = {});
    /// Stops, see stop().
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Runs `work` on the loop, in the order of posting. Any thread. False, and `work` is dropped,
    /// when the loop has stopped or `max_posted` closures wait.
    [[nodiscard]] bool post(std::move_only_function<void()> work);

    /// Starts a coroutine on the loop. Any thread; refuses as post() does. The coroutine must not
    /// throw.
    [[nodiscard]] bool spawn(Task<void> task);

    /// Runs `work` on the loop and waits for it. Not from the loop itself. False as for post().
    bool run(std::move_only_function<void()> work);

    /// Ends the thread and waits for it; what still waits is destroyed unrun. Not from the loop
    /// itself. Whoever put servers or clients on the loop stops them first.
    void stop();

    bool in_loop() const { return std::this_thread::get_id() == thread_.get_id(); }
    boost::asio::io_context& context() { return context_; }
    LoopExecutor executor() { return context_.get_executor(); }
    const std::string& name() const { return name_; }
    Instant now() const { return Clock().now(); }

    /// The longest lateness since the last call, and the number of stalls since the start. Any
    /// thread.
    Duration take_longest_stall();
    uint64_t stalls() const { return stalls_.load(std::memory_order_relaxed); }

  private:
    Task<void> watch_lateness();
    void note_lateness(Duration late);

    std::string name_;
    LoopOptions options_;
    boost::asio::io_context context_;
    std::atomic<bool> stopped_ = false;
    std::atomic<size_t> posted_ = 0;
    std::atomic<int64_t> longest_stall_ns_ = 0;
    std::atomic<uint64_t> stalls_ = 0;
    std::thread thread_;
};

}  // namespace brigada
