// Mailbox: the bounded queue through which one loop hands values to another. Senders on any thread,
// one receiver. A full box refuses, so the sender can answer instead of waiting.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"

namespace brigada {

template <typename T>
class Mailbox {
  public:
    explicit Mailbox(size_t capacity) : capacity_(capacity) {}

    /// False when full or closed; `value` is then untouched.
    [[nodiscard]] bool try_send(T&& value) {
        {
            std::lock_guard lock(mutex_);
            if (closed_ || items_.size() >= capacity_) return false;
            items_.push_back(std::move(value));
        }
        ready_.notify_one();
        return true;
    }

    /// Everything waiting now, oldest first; empty when nothing is.
    std::vector<T> take_all() {
        std::lock_guard lock(mutex_);
        return drain();
    }

    /// Waits until something arrives, the box is closed, or `timeout` has passed.
    std::vector<T> wait_all(Duration timeout) {
        std::unique_lock lock(mutex_);
        ready_.wait_for(lock, timeout.chrono(), [this] { return closed_ || !items_.empty(); });
        return drain();
    }

    /// No more is accepted; what waits can still be taken; a waiting receiver wakes.
    void close() {
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
    }

    bool closed() const {
        std::lock_guard lock(mutex_);
        return closed_;
    }

  private:
    std::vector<T> drain() {
        std::vector<T> out(std::make_move_iterator(items_.begin()),
                           std::make_move_iterator(items_.end()));
        items_.clear();
        return out;
    }

    mutable std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<T> items_;
    size_t capacity_;
    bool closed_ = false;
};

}  // namespace brigada
