// Pool: the fixed threads that kernels fan out over inside a step. The caller is worker 0 and never
// waits for a thread that has taken nothing, so a core lost to another process costs its share of
// the work and not a scheduler slice per run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/time.h"

namespace brigada {

class Pool {
  public:
    /// How long a thread spins before it sleeps. Longer than the serial code between two kernels of
    /// a step (a few microseconds), far shorter than a scheduler slice (milliseconds).
    static constexpr Duration kSpin = Duration::microseconds(30);

    /// `threads` counts the caller: 1 makes no thread at all. Needs threads >= 1.
    explicit Pool(unsigned threads, Duration spin = kSpin);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    unsigned threads() const { return static_cast<unsigned>(threads_.size()) + 1; }

    /// Runs body(task, worker) once for each task of [0, tasks), on worker 0 (the caller) to
    /// threads() - 1, and returns when all are done; what they wrote is then visible. Tasks are
    /// begun in ascending order. No allocation. The body must not throw and must not call run();
    /// one run at a time. Needs tasks < 2^32 - 1.
    template <typename F>
    void run(size_t tasks, F&& body) {
        using Body = std::remove_reference_t<F>;
        static_assert(std::is_invocable_v<Body&, size_t, unsigned>,
                      "body(size_t task, unsigned worker)");
        const Call call = [](void* object, size_t task, unsigned worker) {
            (*static_cast<Body*>(object))(task, worker);
        };
        run_erased(tasks, call, const_cast<void*>(static_cast<const void*>(std::addressof(body))));
    }

  private:
    using Call = void (*)(void* body, size_t task, unsigned worker);

    void run_erased(size_t tasks, Call call, void* body);
    void wake_workers(uint32_t tasks);
    uint32_t run_claimed(unsigned worker);
    void wait_until_finished();
    bool wait_for_tasks();
    void work(unsigned worker);

    // Written by the caller while nothing is claimed; read only by whoever holds a claim.
    Call call_ = nullptr;
    void* body_ = nullptr;
    uint32_t tasks_ = 0;

    Duration spin_;
    std::vector<std::thread> threads_;

    // Each on its own cache line: all workers hammer the first, the caller watches the second.
    alignas(64) std::atomic<uint32_t> unclaimed_ =
        0;  // tasks nobody has begun; workers sleep on it
    alignas(64) std::atomic<uint32_t> unfinished_ = 0;  // tasks not done; the caller sleeps on it
    alignas(64) std::atomic<uint32_t> sleepers_ = 0;    // workers asleep or about to be
    std::atomic<bool> caller_sleeps_ = false;
    std::atomic<bool> running_ = false;
};

}  // namespace brigada
