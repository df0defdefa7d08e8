#include "net/loop_watch.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace brigada {

namespace {

Duration thread_cpu_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return Duration::seconds(now.tv_sec) + Duration::nanoseconds(now.tv_nsec);
}

}  // namespace

LoopWatch::LoopWatch(Loop& loop, std::function<void(const Lateness&)> saw)
    : loop_(loop), saw_(std::move(saw)), wake_(loop.executor()), ended_(loop.executor()) {}

void LoopWatch::start() {
    is_running_ = loop_.spawn(watch(this));
}

Task<void> LoopWatch::stop() {
    is_stopping_ = true;
    wake_.notify();
    while (is_running_)
        co_await ended_.wait();
}

Task<void> LoopWatch::watch(LoopWatch* self) {
    while (!self->is_stopping_) {
        const Instant due = self->loop_.now() + kEvery;
        const Duration cpu = thread_cpu_time();
        if (co_await self->wake_.wait(kEvery)) continue;
        const Duration late = std::max(self->loop_.now() - due, Duration());
        self->saw_({.late = late, .busy = std::min(late, thread_cpu_time() - cpu)});
    }
    self->is_running_ = false;
    self->ended_.notify();
}

}  // namespace brigada
