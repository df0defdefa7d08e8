#include "gateway/waiting_room.h"

#include <utility>

#include "base/concat.h"

namespace brigada {

namespace {

ClassPolicy policy_of(const ClassSettings& settings, Duration ageing) {
    return {.floor_slots = settings.floor,
            .share_permille = settings.share_permille,
            .queue_requests = settings.queue_requests,
            .queue_bytes = settings.queue_bytes,
            .ageing = ageing};
}

ClassQueueConfig queue_config(const AdmissionSettings& settings) {
    return {.slots = settings.slots,
            .classes = {policy_of(settings.guaranteed, settings.ageing),
                        policy_of(settings.standard, settings.ageing),
                        policy_of(settings.batch, settings.ageing)}};
}

const ClassSettings& settings_of(const AdmissionSettings& settings, PriorityClass priority) {
    switch (priority) {
        case PriorityClass::guaranteed:
            return settings.guaranteed;
        case PriorityClass::standard:
            return settings.standard;
        case PriorityClass::batch:
            break;
    }
    return settings.batch;
}

}  // namespace

WaitingRoom::Slot& WaitingRoom::Slot::operator=(Slot&& other) noexcept {
    std::swap(room_, other.room_);
    std::swap(id_, other.id_);
    return *this;
}

WaitingRoom::Slot::~Slot() {
    if (room_) room_->leave(id_);
}

void WaitingRoom::Slot::streaming() {
    if (!room_) return;
    room_->queue_.streaming(id_);
    room_->stops_.erase(id_);
}

void WaitingRoom::Slot::on_reclaim(std::function<void()> stop) {
    if (room_) room_->stops_[id_] = std::move(stop);
}

Result<std::unique_ptr<WaitingRoom>> WaitingRoom::open(const AdmissionSettings& settings,
                                                       Loop& loop) {
    const ClassQueueConfig config = queue_config(settings);
    TRY(check_config(config));
    return std::unique_ptr<WaitingRoom>(new WaitingRoom(settings, config, loop));
}

Result<void> WaitingRoom::set_settings(const AdmissionSettings& settings) {
    const ClassQueueConfig config = queue_config(settings);
    TRY(check_config(config));
    settings_ = settings;
    tell(queue_.set_config(config, loop_.now()));
    return {};
}

Task<std::expected<WaitingRoom::Slot, Refusal>> WaitingRoom::enter(PriorityClass priority,
                                                                   ScopeId tenant, int64_t bytes,
                                                                   Responder& responder) {
    const Duration patience = settings_of(settings_, priority).queue_wait;
    const Instant deadline = loop_.now() + patience;
    const OfferReply reply =
        queue_.offer({.priority = priority, .tenant = tenant, .bytes = bytes, .deadline = deadline},
                     loop_.now());
    if (reply.verdict == OfferReply::Verdict::full)
        co_return std::unexpected(
            Refusal{.status = 429,
                    .type = "rate_limit_error",
                    .message = "too many calls of this tenant are waiting already",
                    .retry_after = reply.retry_after});
    if (reply.verdict == OfferReply::Verdict::admitted) co_return Slot(*this, reply.id);

    for (const AskId id : queue_.reclaim())
        if (const auto stop = stops_.find(id); stop != stops_.end()) stop->second();
    Waiter waiter(loop_);
    co_await wait(reply.id, waiter, deadline, responder);
    if (waiter.admitted) co_return Slot(*this, reply.id);
    co_return std::unexpected(Refusal{
        .status = 503,
        .type = "service_unavailable",
        .message = concat("no place to run became free within ", patience.ms() / 1000, " s"),
        .retry_after = Duration::seconds(1)});
}

/// Returns when the call was admitted, is late, or has nobody to answer any more.
Task<void> WaitingRoom::wait(AskId id, Waiter& waiter, Instant deadline, Responder& responder) {
    waiters_.emplace(id, &waiter);
    const auto gone = responder.on_gone([&] { waiter.signal.notify(); });
    while (!waiter.admitted && !waiter.late && !responder.client_gone()) {
        co_await waiter.signal.wait(deadline - loop_.now());
        if (loop_.now() >= deadline) tell(queue_.expire(loop_.now()));
    }
    waiters_.erase(id);
    if (!waiter.admitted && !waiter.late) queue_.give_up(id);
}

void WaitingRoom::tell(const Moved& moved) {
    const auto wake = [&](AskId id, bool Waiter::* what) {
        const auto found = waiters_.find(id);
        if (found == waiters_.end()) return;
        found->second->*what = true;
        found->second->signal.notify();
    };
    for (const AskId id : moved.admitted)
        wake(id, &Waiter::admitted);
    for (const AskId id : moved.late)
        wake(id, &Waiter::late);
}

void WaitingRoom::leave(AskId id) {
    stops_.erase(id);
    tell(queue_.finish(id, loop_.now()));
}

}  // namespace brigada
