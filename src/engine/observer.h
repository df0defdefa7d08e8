// What the engine tells about itself: counters and gauges as one snapshot that any thread may read,
// and single observations for histograms. It knows nothing of the metrics library.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "engine/request.h"
#include "kv/books.h"
#include "sched/scheduler.h"

namespace brigada {

struct EngineSnapshot {
    SchedulerStats sched;
    KvStats kv;
    uint32_t kv_blocks = 0;
    uint32_t kv_block_tokens = 0;
    uint32_t kv_held_blocks = 0;
    uint32_t kv_cached_blocks = 0;
    uint64_t prompt_tokens = 0;  // of requests that began
    uint64_t generated_tokens = 0;
    uint64_t requests_stopped = 0;  // choices, by the way they ended
    uint64_t requests_length = 0;
    uint64_t requests_failed = 0;
    uint64_t requests_cancelled = 0;
    bool stalled = false;  // work, but no token for longer than the watchdog allows
};

/// Called on the engine's thread; must return at once.
class EngineObserver {
  public:
    virtual ~EngineObserver() = default;
    virtual void planned(const Plan&, const Scheduler&) {}  // and is about to be computed
    virtual void step(uint32_t /*tokens*/, Duration /*took*/) {}
    virtual void first_token(Duration /*since_received*/) {}
    virtual void next_token(Duration /*since_last*/) {}
    virtual void finished(const EngineUsage&, Duration /*since_received*/) {}
};

}  // namespace brigada
