// LoopWatch: how late a loop comes to what is due, and how much of that is its own work. On a
// machine that others use, a loop is late because they run; what it computed itself in the meantime
// tells the two apart.
#pragma once

#include <functional>

#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

struct Lateness {
    Duration late = {};  // behind the time at which it was due
    Duration busy = {};  // of that, at most so much was work of the loop's own
};

/// Loop thread only, but for the constructor.
class LoopWatch {
  public:
    /// What holds a loop for longer is seen for certain; what does for half as long, every other
    /// time.
    static constexpr Duration kEvery = Duration::milliseconds(10);

    /// `saw` is told every kEvery. Both outlive it.
    LoopWatch(Loop& loop, std::function<void(const Lateness&)> saw);

    void start();
    Task<void> stop();

  private:
    static Task<void> watch(LoopWatch* self);

    Loop& loop_;
    std::function<void(const Lateness&)> saw_;
    Signal wake_;
    Signal ended_;
    bool is_stopping_ = false;
    bool is_running_ = false;
};

}  // namespace brigada
