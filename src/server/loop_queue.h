// LoopQueue: carries values from other threads to one coroutine on a loop. Senders never wait, and
// at most one wake-up per queue is on its way. It holds what one request may produce and no more:
// who sends is bounded, not the queue.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/time.h"
#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

template <typename T>
class LoopQueue {
  public:
    /// Loop thread, as all but the senders. The loop must outlive every sender.
    explicit LoopQueue(Loop& loop)
        : signal_(loop.executor()), shared_(std::make_shared<Shared>(loop)) {
        shared_->signal = &signal_;
    }
    ~LoopQueue() { shared_->signal = nullptr; }
    LoopQueue(const LoopQueue&) = delete;
    LoopQueue& operator=(const LoopQueue&) = delete;

    /// A function that may be called on any thread, also when the queue is gone.
    auto sender() {
        return [shared = shared_](T value) {
            if (!shared->push(std::move(value))) return;
            // Refused only when the loop has stopped: then nobody waits either.
            (void)shared->loop.post([shared] {
                if (shared->signal) shared->signal->notify();
            });
        };
    }

    /// What has come, in order; waits until something does, wake() is called or `timeout` has
    /// passed, and is empty then.
    Task<std::vector<T>> take(Duration timeout = Duration::max()) {
        std::vector<T> values = shared_->take();
        // A wake-up may come late, for values that were taken before it.
        while (values.empty() && !woken_ && co_await signal_.wait(timeout))
            values = shared_->take();
        woken_ = false;
        co_return values;
    }

    /// Ends a take().
    void wake() {
        woken_ = true;
        signal_.notify();
    }

  private:
    struct Shared {
        explicit Shared(Loop& on) : loop(on) {}

        /// True when a wake-up has to be sent.
        bool push(T value) {
            std::lock_guard lock(mutex);
            values.push_back(std::move(value));
            return !std::exchange(waking, true);
        }
        std::vector<T> take() {
            std::lock_guard lock(mutex);
            waking = false;
            return std::exchange(values, {});
        }

        Loop& loop;
        Signal* signal = nullptr;  // loop thread only; null when the queue is gone
        std::mutex mutex;
        std::vector<T> values;
        bool waking = false;
    };

    Signal signal_;
    bool woken_ = false;
    std::shared_ptr<Shared> shared_;
};

}  // namespace brigada
