// WaitingRoom: where calls wait when more want to run than there are slots. The class queue of the
// admit core says who is next; here is what sleeps, wakes and leaves.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>

#include "admit/class_queue.h"
#include "gateway/config/gateway_config.h"
#include "gateway/refusal.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/signal.h"

namespace brigada {

/// Loop thread only.
class WaitingRoom {
  public:
    /// A place to run in, for as long as it lives.
    class Slot {
      public:
        Slot() = default;
        Slot(Slot&& other) noexcept { *this = std::move(other); }
        Slot& operator=(Slot&& other) noexcept;
        ~Slot();

        /// The call sends its first byte: nobody takes the place away any more.
        void streaming();
        /// Called when a guaranteed call needs the place: the call should stop, then give it back.
        void on_reclaim(std::function<void()> stop);

      private:
        friend class WaitingRoom;
        Slot(WaitingRoom& room, AskId id) : room_(&room), id_(id) {}

        WaitingRoom* room_ = nullptr;
        AskId id_{};
    };

    /// Error::invalid_argument names the setting that can't be.
    static Result<std::unique_ptr<WaitingRoom>> open(const AdmissionSettings& settings, Loop& loop);

    /// Other settings from now on; slots that are new are given at once. Errors as of open(), and
    /// then nothing changes.
    Result<void> set_settings(const AdmissionSettings& settings);

    /// Waits for a slot at most as long as the class may: 429 when the tenant's queue is full, 503
    /// when the time is over or the client has left.
    Task<std::expected<Slot, Refusal>> enter(PriorityClass priority, ScopeId tenant, int64_t bytes,
                                             Responder& responder);

    const ClassQueue& queue() const { return queue_; }

  private:
    struct Waiter {
        explicit Waiter(Loop& loop) : signal(loop.executor()) {}

        Signal signal;
        bool admitted = false;
        bool late = false;
    };

    WaitingRoom(const AdmissionSettings& settings, const ClassQueueConfig& config, Loop& loop)
        : settings_(settings), loop_(loop), queue_(config) {}

    Task<void> wait(AskId id, Waiter& waiter, Instant deadline, Responder& responder);
    void tell(const Moved& moved);
    void leave(AskId id);

    AdmissionSettings settings_;
    Loop& loop_;
    ClassQueue queue_;
    std::map<AskId, Waiter*> waiters_;
    std::map<AskId, std::function<void()>> stops_;
};

}  // namespace brigada
