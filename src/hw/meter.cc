#include "hw/meter.h"

#include <algorithm>
#include <barrier>
#include <thread>
#include <vector>

#include "base/check.h"

namespace brigada {

Duration best_pass(unsigned threads, Duration budget, const std::function<void(unsigned)>& body) {
    CHECK(threads >= 1);
    std::barrier gate(threads);
    bool more = true;  // written by the caller between passes, read after the gate
    std::vector<std::thread> others;
    for (unsigned thread = 1; thread < threads; ++thread)
        others.emplace_back([&, thread] {
            for (;;) {
                gate.arrive_and_wait();
                if (!more) return;
                body(thread);
                gate.arrive_and_wait();
            }
        });

    const Clock clock;
    const Instant end = clock.now() + budget;
    Duration best = Duration::max();
    for (int pass = 0; pass < 2 || clock.now() < end; ++pass) {
        gate.arrive_and_wait();
        const Instant start = clock.now();
        body(0);
        gate.arrive_and_wait();
        best = std::min(best, clock.now() - start);
    }
    more = false;
    gate.arrive_and_wait();
    for (std::thread& other : others)
        other.join();
    return std::max(best, Duration::nanoseconds(1));
}

}  // namespace brigada
