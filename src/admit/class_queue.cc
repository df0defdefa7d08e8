#include "admit/class_queue.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace brigada {
namespace {

// A new measurement counts one eighth: some twenty calls forget the past.
constexpr int64_t kMemory = 8;

constexpr Duration kShortestRetry = Duration::seconds(1);
constexpr Duration kLongestRetry = Duration::seconds(3'600);

}  // namespace

ClassQueue::ClassQueue(const ClassQueueConfig& config) : config_(config) {
    const Result<void> checked = check_config(config);
    CHECK(checked.ok(), checked.ok() ? "" : checked.error().message);
}

Moved ClassQueue::set_config(const ClassQueueConfig& config, Instant now) {
    const Result<void> checked = check_config(config);
    CHECK(checked.ok(), checked.ok() ? "" : checked.error().message);
    config_ = config;
    Moved moved = expire(now);
    while (admit_next(moved, now)) {
    }
    is_settling_ = !excess().empty();
    return moved;
}

// --- who may run --------------------------------------------------------------------------------

int64_t ClassQueue::cap(PriorityClass priority) const {
    const ClassPolicy& own = policy(priority);
    return std::max(own.floor_slots, config_.slots * own.share_permille / 1'000);
}

// The slots that others' floors still lack are not there for this class.
bool ClassQueue::has_slot(PriorityClass priority) const {
    if (running(priority) >= cap(priority)) return false;
    int64_t available = config_.slots;
    for (const PriorityClass other : kPriorityClasses)
        available -= other == priority ? running(other)
                                       : std::max(running(other), policy(other).floor_slots);
    return available > 0;
}

/// 0 goes first. The oldest waiter of the lane decides.
int64_t ClassQueue::level(const LaneKey& key, const Lane& lane, Instant now) const {
    const Duration waited = now - lane.waiters.front().arrival;
    const int64_t raised = waited.ns() / policy(key.first).ageing.ns();
    return std::max<int64_t>(0, static_cast<int64_t>(index(key.first)) - raised);
}

// A look at every lane: some ten nanoseconds each, and a lane is a tenant that waits.
ClassQueue::Lanes::iterator ClassQueue::next_lane(Instant now) {
    auto best = lanes_.end();
    std::pair<int64_t, uint64_t> best_rank;
    for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
        if (!has_slot(lane->first.first)) continue;
        const std::pair rank(level(lane->first, lane->second, now), lane->second.turn);
        if (best != lanes_.end() && best_rank < rank) continue;
        best = lane;
        best_rank = rank;
    }
    return best;
}

// --- in and out ---------------------------------------------------------------------------------

// Whoever waits could not run when the last slot became free, so a class that has one has nobody
// waiting, and a newcomer passes nobody.
OfferReply ClassQueue::offer(const Ask& ask, Instant now) {
    CHECK(ask.bytes >= 0);
    if (has_slot(ask.priority)) {
        const AskId id{next_id_++};
        start(id, ask.priority, false, now);
        return {.verdict = OfferReply::Verdict::admitted, .id = id};
    }
    const auto lane = lanes_.find({ask.priority, ask.tenant});
    const int64_t requests = lane == lanes_.end() ? 0 : std::ssize(lane->second.waiters);
    const int64_t bytes = lane == lanes_.end() ? 0 : lane->second.bytes;
    const ClassPolicy& own = policy(ask.priority);
    if (requests >= own.queue_requests || ask.bytes > own.queue_bytes - bytes)
        return {.retry_after = likely_wait(ask.priority)};
    const AskId id{next_id_++};
    wait(id, ask, now);
    return {.verdict = OfferReply::Verdict::waiting, .id = id};
}

void ClassQueue::wait(AskId id, const Ask& ask, Instant now) {
    const LaneKey key(ask.priority, ask.tenant);
    const auto [lane, is_new] = lanes_.try_emplace(key);
    if (is_new) lane->second.turn = next_turn_++;  // behind all who wait already
    lane->second.waiters.push_back({id, ask.bytes, now, ask.deadline});
    lane->second.bytes += ask.bytes;
    places_.emplace(id, key);
    deadlines_.emplace(ask.deadline, id);
    ++waiting_[index(ask.priority)];
}

void ClassQueue::start(AskId id, PriorityClass priority, bool is_aged, Instant now) {
    calls_.emplace(id, Running{.priority = priority, .since = now, .is_aged = is_aged});
    ++running_[index(priority)];
}

Moved ClassQueue::finish(AskId id, Instant now) {
    auto call = calls_.extract(id);
    CHECK(!call.empty(), "call ", raw(id), " does not run");
    --running_[index(call.mapped().priority)];
    if (call.mapped().is_reclaimed)
        --reclaimed_;
    else
        measure(call.mapped(), now);
    Moved moved = expire(now);
    while (admit_next(moved, now)) {
    }
    if (is_settling_) is_settling_ = !excess().empty();
    return moved;
}

bool ClassQueue::admit_next(Moved& moved, Instant now) {
    const auto lane = next_lane(now);
    if (lane == lanes_.end()) return false;
    const PriorityClass priority = lane->first.first;
    const bool is_aged = level(lane->first, lane->second, now) < static_cast<int64_t>(priority);
    lane->second.turn = next_turn_++;
    const Waiter waiter = leave(lane, lane->second.waiters.begin());
    start(waiter.id, priority, is_aged, now);
    moved.admitted.push_back(waiter.id);
    return true;
}

ClassQueue::Waiter ClassQueue::leave(Lanes::iterator lane, std::deque<Waiter>::iterator waiter) {
    const Waiter left = *waiter;
    lane->second.waiters.erase(waiter);
    lane->second.bytes -= left.bytes;
    --waiting_[index(lane->first.first)];
    places_.erase(left.id);
    deadlines_.erase({left.deadline, left.id});
    if (lane->second.waiters.empty()) lanes_.erase(lane);
    return left;
}

void ClassQueue::leave(AskId id) {
    const auto place = places_.find(id);
    CHECK(place != places_.end(), "call ", raw(id), " does not wait");
    const auto lane = lanes_.find(place->second);
    leave(lane, std::ranges::find(lane->second.waiters, id, &Waiter::id));
}

void ClassQueue::give_up(AskId id) {
    leave(id);
}

Moved ClassQueue::expire(Instant now) {
    Moved moved;
    while (next_deadline() <= now && next_deadline() != Instant::never()) {
        const AskId id = deadlines_.begin()->second;
        leave(id);
        moved.late.push_back(id);
    }
    return moved;
}

Instant ClassQueue::next_deadline() const {
    return deadlines_.empty() ? Instant::never() : deadlines_.begin()->first;
}

// --- batch gives way ----------------------------------------------------------------------------

void ClassQueue::streaming(AskId id) {
    const auto call = calls_.find(id);
    CHECK(call != calls_.end(), "call ", raw(id), " does not run");
    call->second.is_streaming = true;
    if (std::exchange(call->second.is_reclaimed, false)) --reclaimed_;  // it was faster
}

std::vector<AskId> ClassQueue::reclaim() {
    constexpr PriorityClass kFirst = PriorityClass::guaranteed;
    constexpr PriorityClass kLast = PriorityClass::batch;
    const int64_t wanted = std::min(waiting(kFirst), cap(kFirst) - running(kFirst));
    const int64_t spare = running(kLast) - policy(kLast).floor_slots;
    int64_t to_stop = std::min(wanted, spare) - reclaimed_;
    std::vector<AskId> named;
    for (auto call = calls_.rbegin(); call != calls_.rend() && to_stop > 0; ++call) {
        Running& running = call->second;
        if (running.priority != kLast || running.is_aged || running.is_streaming ||
            running.is_reclaimed)
            continue;
        running.is_reclaimed = true;
        named.push_back(call->first);
        ++reclaimed_;
        --to_stop;
    }
    return named;
}

// --- what it says -------------------------------------------------------------------------------

void ClassQueue::measure(const Running& call, Instant now) {
    const int64_t held_ns = (now - call.since).ns();
    service_ns_ = service_ns_ == 0 ? held_ns : service_ns_ + (held_ns - service_ns_) / kMemory;
}

/// A lane has a place again when it was served once. Before that, all of the classes above are
/// served, and each lane of its own class once.
Duration ClassQueue::likely_wait(PriorityClass priority) const {
    int64_t ahead = 1;
    for (const PriorityClass above : kPriorityClasses)
        if (above < priority) ahead += waiting(above);
    for (const auto& [key, lane] : lanes_)
        ahead += key.first == priority ? 1 : 0;
    const int64_t at_once = std::max<int64_t>(1, cap(priority));
    const int64_t rounds_ns = std::min(service_ns_, kLongestRetry.ns()) / at_once;
    return std::clamp(Duration::nanoseconds(rounds_ns) * ahead, kShortestRetry, kLongestRetry);
}

int64_t ClassQueue::size() const {
    return std::accumulate(running_.begin(), running_.end(), int64_t{0}) +
           std::accumulate(waiting_.begin(), waiting_.end(), int64_t{0});
}

int64_t ClassQueue::waiting_bytes() const {
    int64_t bytes = 0;
    for (const auto& [key, lane] : lanes_)
        bytes += lane.bytes;
    return bytes;
}

}  // namespace brigada
