// Signal: how a coroutine sleeps until something on its loop has changed, or until a time. It
// carries no value: the waiter looks at its own state again, so a notification can never be lost or
// counted twice. Loop thread only.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <chrono>

#include "base/time.h"
#include "net/loop.h"

namespace brigada {

using LoopTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;

class Signal {
  public:
    explicit Signal(LoopExecutor executor) : timer_(executor) {}

    /// Wakes the waiter; with none, the next wait() returns at once.
    void notify();

    /// Until notify(), then true; or until `timeout` has passed, then false. One waiter at a time.
    Task<bool> wait(Duration timeout = Duration::max());

  private:
    LoopTimer timer_;
    bool notified_ = false;
    bool waiting_ = false;
};

}  // namespace brigada
