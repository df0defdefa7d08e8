// Outbox: what waits to be told to somebody outside, and the thread that tells it. Bounded: when
// too much waits, or somebody does not listen for too long, the rest is dropped and counted;
// whoever put it in never waits.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/time.h"
#include "gateway/seen/http_post.h"

namespace brigada {

struct OutboxOptions {
    size_t capacity = 1'024;
    size_t batch = 1;                             // sent at once, at most
    Duration gather = {};                         // the first of a batch waits so long for more
    Duration first_pause = Duration::seconds(1);  // after a failure; doubles
    Duration longest_pause = Duration::seconds(60);
    int tries = 10;  // of one batch
};

struct OutboxCounts {
    uint64_t sent = 0;
    uint64_t dropped = 0;  // of a full box, or given up
    size_t waiting = 0;
};

template <typename T>
class Outbox {
  public:
    /// Tells a batch, in the outbox's thread; may wait, for no longer than a stop can.
    using Send = std::function<PostOutcome(const std::vector<T>&)>;
    /// Told of a batch that was given up, with the words of its last outcome. The same thread.
    using GivenUp = std::function<void(const std::vector<T>&, const PostOutcome&)>;

    Outbox(OutboxOptions options, Send send, GivenUp given_up)
        : options_(options),
          send_(std::move(send)),
          given_up_(std::move(given_up)),
          thread_([this](std::stop_token stop) { run(std::move(stop)); }) {}
    ~Outbox() { stop(); }

    /// Any thread. Dropped, and counted, when the box is full.
    void put(T item) {
        {
            std::lock_guard lock(mutex_);
            if (items_.size() >= options_.capacity) {
                ++counts_.dropped;
                return;
            }
            items_.push_back(std::move(item));
        }
        changed_.notify_one();
    }

    OutboxCounts counts() const {
        std::lock_guard lock(mutex_);
        OutboxCounts out = counts_;
        out.waiting = items_.size();
        return out;
    }

    /// Sends what waits, until a batch is not taken, and ends. Nothing is put in any more.
    void stop() {
        if (!thread_.joinable()) return;
        thread_.request_stop();
        changed_.notify_all();
        thread_.join();
    }

  private:
    void run(std::stop_token stop) {
        for (;;) {
            const std::vector<T> batch = next(stop);
            if (batch.empty()) return;
            if (!deliver(batch, stop) && stop.stop_requested()) return drop_rest();
        }
    }

    void drop_rest() {
        std::lock_guard lock(mutex_);
        counts_.dropped += items_.size();
        items_.clear();
    }

    /// Empty only when the outbox has stopped and nothing waits.
    std::vector<T> next(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [this] { return !items_.empty(); });
        if (options_.gather > Duration())
            changed_.wait_for(lock, stop, options_.gather.chrono(),
                              [this] { return items_.size() >= options_.batch; });
        const auto end =
            items_.begin() + static_cast<ptrdiff_t>(std::min(options_.batch, items_.size()));
        std::vector<T> out(std::make_move_iterator(items_.begin()), std::make_move_iterator(end));
        items_.erase(items_.begin(), end);
        return out;
    }

    bool deliver(const std::vector<T>& batch, const std::stop_token& stop) {
        PostOutcome outcome;
        Duration wait = options_.first_pause;
        for (int tries = 0; tries < options_.tries; ++tries) {
            outcome = send_(batch);
            if (outcome.kind != PostOutcome::Kind::try_again || stop.stop_requested()) break;
            if (tries + 1 < options_.tries) pause(wait, stop);
            wait = std::min(wait * 2, options_.longest_pause);
        }
        const bool sent = outcome.kind == PostOutcome::Kind::taken;
        if (!sent) given_up_(batch, outcome);
        std::lock_guard lock(mutex_);
        (sent ? counts_.sent : counts_.dropped) += batch.size();
        return sent;
    }

    /// Ends early when the outbox stops: the batch is then tried once more.
    void pause(Duration wait, const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, wait.chrono(), [&] { return stop.stop_requested(); });
    }

    const OutboxOptions options_;
    const Send send_;
    const GivenUp given_up_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<T> items_;
    OutboxCounts counts_;
    std::jthread thread_;  // last: it uses what stands above
};

}  // namespace brigada
