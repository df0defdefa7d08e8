#include "net/loop.h"

#include <pthread.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <future>
#include <utility>

#include "base/check.h"
#include "net/signal.h"

namespace brigada {

namespace asio = boost::asio;

namespace {

// One thread runs the loop and touches its sockets, so the reactor needs no locks; the queue of
// closures keeps its own, because post() comes from other threads.
constexpr int kConcurrency = BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO;

constexpr auto kLatenessInterval = std::chrono::milliseconds(50);

void die_of(std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

Loop::Loop(std::string name, LoopOptions options)
    : name_(std::move(name)), options_(std::move(options)), context_(kConcurrency) {
    asio::co_spawn(context_, watch_lateness(), die_of);
    thread_ = std::thread([this] { context_.run(); });
    pthread_setname_np(thread_.native_handle(), name_.substr(0, 15).c_str());
}

Loop::~Loop() {
    stop();
}

bool Loop::post(std::move_only_function<void()> work) {
    if (stopped_.load(std::memory_order_acquire)) return false;
    if (posted_.fetch_add(1, std::memory_order_relaxed) >= options_.max_posted) {
        posted_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
    asio::post(context_, [this, work = std::move(work)]() mutable {
        posted_.fetch_sub(1, std::memory_order_relaxed);
        work();
    });
    return true;
}

bool Loop::spawn(Task<void> task) {
    return post([this, task = std::move(task)]() mutable {
        asio::co_spawn(context_, std::move(task), die_of);
    });
}

bool Loop::run(std::move_only_function<void()> work) {
    CHECK(!in_loop(), "run() waits for its own thread: ", name_);
    std::promise<void> done;
    std::future<void> finished = done.get_future();
    // When the loop stops first, the closure is destroyed unrun and breaks the promise.
    const bool posted = post([work = std::move(work), done = std::move(done)]() mutable {
        work();
        done.set_value();
    });
    if (!posted) return false;
    finished.wait();
    try {
        finished.get();
    } catch (const std::future_error&) {
        return false;
    }
    return true;
}

void Loop::stop() {
    CHECK(!in_loop(), "stop() waits for its own thread: ", name_);
    stopped_.store(true, std::memory_order_release);
    context_.stop();
    if (thread_.joinable()) thread_.join();
}

Duration Loop::take_longest_stall() {
    return Duration::nanoseconds(longest_stall_ns_.exchange(0, std::memory_order_relaxed));
}

// A timer that should fire every 50 ms fires late by what ran in front of it, so whatever holds the
// loop for longer than that is seen.
Task<void> Loop::watch_lateness() {
    LoopTimer timer(executor());
    for (;;) {
        const auto due = std::chrono::steady_clock::now() + kLatenessInterval;
        timer.expires_at(due);
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable_t<LoopExecutor>{}));
        const std::chrono::nanoseconds late = std::chrono::steady_clock::now() - due;
        note_lateness(Duration::nanoseconds(late.count()));
    }
}

void Loop::note_lateness(Duration late) {
    if (late.ns() > longest_stall_ns_.load(std::memory_order_relaxed))
        longest_stall_ns_.store(late.ns(), std::memory_order_relaxed);
    if (late < options_.stall) return;
    stalls_.fetch_add(1, std::memory_order_relaxed);
    if (options_.on_stall) options_.on_stall(name_, late);
}

}  // namespace brigada
