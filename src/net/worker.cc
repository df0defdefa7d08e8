#include "net/worker.h"

#include <pthread.h>

namespace brigada {

Worker::Worker(const std::string& name, size_t max_waiting)
    : max_waiting_(max_waiting), thread_([this] { work_until_stopped(); }) {
    pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

Worker::~Worker() {
    stop();
}

bool Worker::give(std::move_only_function<void()> work) {
    {
        std::lock_guard lock(mutex_);
        if (stopping_ || waiting_.size() >= max_waiting_) return false;
        waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
    return true;
}

void Worker::work_until_stopped() {
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        std::move_only_function<void()> work = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        work();
    }
}

void Worker::stop() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

}  // namespace brigada
