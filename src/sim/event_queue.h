// EventQueue: what will happen in virtual time, earliest first. What happens in one instant has an
// order of its own: steps and loads end, then replicas come and go, then calls arrive, and only
// when all that is known do replicas begin their next steps.
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "base/time.h"

namespace brigada {

/// In the order in which they are handled within one instant.
enum class EventKind : uint8_t {
    steps_end,
    loads_end,
    fault,
    rollout,
    queue_deadline,
    timeout,
    interrupt,
    send,
    look,
    wake
};

struct Event {
    Instant at;
    EventKind kind{};
    uint32_t who = 0;     // a replica, an attempt or a session, by kind
    uint64_t which = 0;   // tells a stale event from the one that is meant
    uint64_t number = 0;  // in the order of scheduling

    auto order() const { return std::tie(at, kind, who, number); }
    friend bool operator>(const Event& a, const Event& b) { return b.order() < a.order(); }
};

class EventQueue {
  public:
    void add(Instant at, EventKind kind, uint32_t who, uint64_t which = 0) {
        events_.push({at, kind, who, which, next_++});
    }

    bool empty() const { return events_.empty(); }

    Event take() {
        const Event first = events_.top();
        events_.pop();
        return first;
    }

  private:
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    uint64_t next_ = 0;
};

}  // namespace brigada
