// ClassQueue: who runs and who waits when calls are more than slots. Three classes with floors and
// shares, a bounded queue for each tenant in each class, deadlines, ageing, and turns between
// tenants. A core: the shell starts and stops calls, this says which.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "admit/priority.h"
#include "admit/scope.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace brigada {

enum class AskId : uint64_t {};

struct ClassPolicy {
    int64_t floor_slots = 0;         // kept free for the class, however busy the others are
    int64_t share_permille = 1'000;  // of the slots it gets at most; at least its floor
    int64_t queue_requests = 64;     // of one tenant
    int64_t queue_bytes = 16 << 20;  // of one tenant
    Duration ageing = Duration::seconds(10);  // waiting this long is worth one class
};

struct ClassQueueConfig {
    int64_t slots = 64;
    std::array<ClassPolicy, 3> classes = {};  // in the order of PriorityClass
};

/// Error::invalid_argument names the setting, its value and what works. With a good configuration
/// every class can run.
Result<void> check_config(const ClassQueueConfig& config);

/// A call that wants a slot.
struct Ask {
    PriorityClass priority = PriorityClass::standard;
    ScopeId tenant = {};
    int64_t bytes = 0;  // of its body, which is kept while it waits
    Instant deadline = Instant::never();
};

struct OfferReply {
    enum class Verdict : uint8_t { admitted, waiting, full };

    Verdict verdict = Verdict::full;
    AskId id = {};              // unless full
    Duration retry_after = {};  // if full: when a place is likely to be free; at least a second
};

/// What time or a free slot brought about.
struct Moved {
    std::vector<AskId> admitted = {};  // in this order
    std::vector<AskId> late = {};      // their deadline passed while they waited: answer 503

    friend bool operator==(const Moved&, const Moved&) = default;
};

/// `now` never goes back from one call to the next.
class ClassQueue {
  public:
    explicit ClassQueue(const ClassQueueConfig& config);

    /// A good configuration (CHECK) from now on. With fewer slots, calls that run keep theirs and
    /// nobody is admitted until there are few enough.
    Moved set_config(const ClassQueueConfig& config, Instant now);

    OfferReply offer(const Ask& ask, Instant now);

    /// A call that was admitted has ended, or was stopped because reclaim() named it.
    Moved finish(AskId id, Instant now);

    /// The client of a waiting call has left.
    void give_up(AskId id);

    /// Those whose deadline has come. Nobody is admitted by it.
    Moved expire(Instant now);

    /// The call sends its first token: it is not reclaimed any more.
    void streaming(AskId id);

    /// Batch calls to stop so that guaranteed ones, which wait, can run: newest first, none that
    /// streams or was admitted for its age, and never below the floor of batch. Each is named once;
    /// the slot is free when the shell calls finish().
    std::vector<AskId> reclaim();

    /// When expire() has something to do next; never() while nobody waits for a deadline.
    Instant next_deadline() const;

    int64_t running(PriorityClass priority) const { return running_[index(priority)]; }
    int64_t waiting(PriorityClass priority) const { return waiting_[index(priority)]; }
    int64_t waiting_bytes() const;
    /// Calls that run or wait, of all classes.
    int64_t size() const;

    /// Proves that floors and shares hold (or will, after set_config()), that no call waits that
    /// could run, and that every count is the sum of its parts.
    void check() const;

  private:
    struct Waiter {
        AskId id{};
        int64_t bytes = 0;
        Instant arrival;
        Instant deadline;
    };

    using LaneKey = std::pair<PriorityClass, ScopeId>;

    /// One tenant's queue in one class; it is there while it is not empty.
    struct Lane {
        std::deque<Waiter> waiters;  // oldest first
        int64_t bytes = 0;
        uint64_t turn = 0;  // goes before lanes of its level with a later turn
    };

    struct Running {
        PriorityClass priority{};
        Instant since;
        bool is_aged = false;  // admitted as if of a higher class
        bool is_streaming = false;
        bool is_reclaimed = false;
    };

    using Lanes = std::map<LaneKey, Lane>;

    static size_t index(PriorityClass priority) { return static_cast<size_t>(priority); }
    const ClassPolicy& policy(PriorityClass priority) const {
        return config_.classes[index(priority)];
    }
    int64_t cap(PriorityClass priority) const;
    bool has_slot(PriorityClass priority) const;
    int64_t level(const LaneKey& key, const Lane& lane, Instant now) const;

    void wait(AskId id, const Ask& ask, Instant now);
    void start(AskId id, PriorityClass priority, bool is_aged, Instant now);
    bool admit_next(Moved& moved, Instant now);
    Lanes::iterator next_lane(Instant now);
    Waiter leave(Lanes::iterator lane, std::deque<Waiter>::iterator waiter);
    void leave(AskId id);
    void measure(const Running& call, Instant now);
    std::string excess() const;
    Duration likely_wait(PriorityClass priority) const;

    ClassQueueConfig config_;
    bool is_settling_ = false;  // set_config() took away what calls still have
    uint64_t next_id_ = 1;
    uint64_t next_turn_ = 1;
    std::array<int64_t, 3> running_{};
    std::array<int64_t, 3> waiting_{};
    int64_t reclaimed_ = 0;   // named by reclaim() and still running
    int64_t service_ns_ = 0;  // moving average of how long a call holds its slot
    Lanes lanes_;
    std::unordered_map<AskId, LaneKey> places_;  // of those that wait
    std::set<std::pair<Instant, AskId>> deadlines_;
    std::map<AskId, Running> calls_;
};

}  // namespace brigada
