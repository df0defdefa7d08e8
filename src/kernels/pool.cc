#include "kernels/pool.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace brigada {
namespace {

/// In unclaimed_: no more work will come.
constexpr uint32_t kStopped = std::numeric_limits<uint32_t>::max();

/// Sleeps while `word` holds `value`; may return early.
void futex_wait(std::atomic<uint32_t>& word, uint32_t value) {
    static_assert(sizeof(word) == sizeof(uint32_t));
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word, uint32_t sleepers) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, static_cast<int>(sleepers), nullptr, nullptr, 0);
}

void pause_core() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// Spins until `ready` or until `limit` has passed, and says whether it became ready.
template <typename Ready>
bool spin_until(Ready ready, Duration limit) {
    constexpr int kPausesPerLook = 16;  // about half a microsecond; a look at the clock costs 30 ns
    if (ready()) return true;
    const Clock clock;
    const Instant end = clock.now() + limit;
    do {
        for (int i = 0; i < kPausesPerLook; ++i) {
            if (ready()) return true;
            pause_core();
        }
    } while (clock.now() < end);
    return ready();
}

}  // namespace

Pool::Pool(unsigned threads, Duration spin) : spin_(spin) {
    CHECK(threads >= 1);
    threads_.reserve(threads - 1);
    for (unsigned worker = 1; worker < threads; ++worker)
        threads_.emplace_back([this, worker] { work(worker); });
}

Pool::~Pool() {
    CHECK(!running_.load(std::memory_order_relaxed));
    unclaimed_.store(kStopped);
    futex_wake(unclaimed_, std::numeric_limits<int32_t>::max());
    for (std::thread& thread : threads_)
        thread.join();
}

void Pool::run_erased(size_t tasks, Call call, void* body) {
    CHECK(tasks < kStopped, "tasks=", tasks);
    CHECK(!running_.exchange(true, std::memory_order_acquire), "two runs at once on one pool");
    if (threads_.empty() || tasks <= 1) {
        for (size_t task = 0; task < tasks; ++task)
            call(body, task, 0);
    } else {
        call_ = call;
        body_ = body;
        tasks_ = static_cast<uint32_t>(tasks);
        unfinished_.store(tasks_, std::memory_order_relaxed);
        unclaimed_.store(tasks_);  // from here on workers may claim
        wake_workers(tasks_);
        const uint32_t done = run_claimed(0);
        if (unfinished_.fetch_sub(done) != done) wait_until_finished();
    }
    running_.store(false, std::memory_order_release);
}

/// Sequential consistency orders this against wait_for_tasks(): either the worker has counted
/// itself asleep before we look, or its futex call sees the new unclaimed_ and returns at once.
void Pool::wake_workers(uint32_t tasks) {
    const uint32_t asleep = sleepers_.load();
    if (asleep > 0) futex_wake(unclaimed_, std::min(asleep, tasks - 1));
}

/// Claims and runs tasks until none is left; returns how many. A claim keeps the run open, because
/// its task is unfinished, so call_, body_ and tasks_ stand still while one is held.
uint32_t Pool::run_claimed(unsigned worker) {
    uint32_t done = 0;
    uint32_t left = unclaimed_.load(std::memory_order_relaxed);
    while (left != 0 && left != kStopped) {
        if (!unclaimed_.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                              std::memory_order_relaxed))
            continue;
        call_(body_, tasks_ - left, worker);
        ++done;
        --left;
    }
    return done;
}

void Pool::wait_until_finished() {
    const auto finished = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
    if (spin_until(finished, spin_)) return;
    caller_sleeps_.store(true);
    for (uint32_t left = unfinished_.load(); left != 0; left = unfinished_.load())
        futex_wait(unfinished_, left);
    caller_sleeps_.store(false, std::memory_order_relaxed);
}

/// False when the pool ends.
bool Pool::wait_for_tasks() {
    const auto ready = [this] { return unclaimed_.load(std::memory_order_relaxed) != 0; };
    if (!spin_until(ready, spin_)) {
        sleepers_.fetch_add(1);
        while (unclaimed_.load() == 0)
            futex_wait(unclaimed_, 0);
        sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
    return unclaimed_.load(std::memory_order_relaxed) != kStopped;
}

void Pool::work(unsigned worker) {
    while (wait_for_tasks()) {
        const uint32_t done = run_claimed(worker);
        if (done == 0) continue;
        if (unfinished_.fetch_sub(done) == done && caller_sleeps_.load())
            futex_wake(unfinished_, 1);
    }
}

}  // namespace brigada
