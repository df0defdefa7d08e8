// check_config, what a ClassQueue can be told, and ClassQueue::check, its books proved.
#include <algorithm>

#include "admit/class_queue.h"
#include "base/check.h"
#include "base/concat.h"

namespace brigada {
namespace {

constexpr std::string_view kNames[] = {"guaranteed", "standard", "batch"};

Error bad(size_t number, std::string_view setting, int64_t value, std::string_view works) {
    return {Code::invalid_argument,
            concat("class ", kNames[number], ": ", setting, " is ", value, "; ", works)};
}

Result<void> check_class(const ClassQueueConfig& config, size_t number, int64_t floors) {
    const ClassPolicy& own = config.classes[number];
    if (own.floor_slots < 0) return bad(number, "floor_slots", own.floor_slots, "0 or more works");
    if (own.share_permille < 0 || own.share_permille > 1'000)
        return bad(number, "share_permille", own.share_permille, "0 to 1000 works");
    if (own.queue_requests < 0)
        return bad(number, "queue_requests", own.queue_requests, "0 or more works");
    if (own.queue_bytes < 0) return bad(number, "queue_bytes", own.queue_bytes, "0 or more works");
    if (own.ageing <= Duration())
        return bad(number, "ageing", own.ageing.ns(), "more than 0 ns works");
    const bool can_run = own.floor_slots > 0 ||
                         (floors < config.slots && config.slots * own.share_permille >= 1'000);
    if (!can_run)
        return bad(number, "floor_slots", own.floor_slots,
                   "it can never run: give it a floor, or leave it a share of at least one slot "
                   "beside the floors of others");
    return {};
}

}  // namespace

Result<void> check_config(const ClassQueueConfig& config) {
    constexpr int64_t kMostSlots = 1'000'000;
    if (config.slots < 1 || config.slots > kMostSlots)
        return Error{Code::invalid_argument,
                     concat("slots is ", config.slots, "; 1 to ", kMostSlots, " works")};
    int64_t floors = 0;
    for (const ClassPolicy& own : config.classes)
        floors += std::clamp<int64_t>(own.floor_slots, 0, kMostSlots);
    for (size_t number = 0; number < config.classes.size(); ++number)
        TRY(check_class(config, number, floors));
    if (floors > config.slots)
        return Error{Code::invalid_argument, concat("floors of all classes add up to ", floors,
                                                    " slots; there are ", config.slots)};
    return {};
}

/// What is more than the configuration allows; "" when nothing is.
std::string ClassQueue::excess() const {
    for (const auto& [key, lane] : lanes_)
        if (std::ssize(lane.waiters) > policy(key.first).queue_requests ||
            lane.bytes > policy(key.first).queue_bytes)
            return concat("tenant ", raw(key.second), " queues ", lane.waiters.size(), " calls, ",
                          lane.bytes, " bytes");
    int64_t claimed = 0;  // slots in use or kept for a floor
    for (const PriorityClass priority : kPriorityClasses) {
        if (running(priority) > cap(priority))
            return concat("class ", index(priority), " runs ", running(priority));
        claimed += std::max(running(priority), policy(priority).floor_slots);
    }
    if (claimed <= config_.slots) return "";
    return concat("floors are not kept: ", claimed, " of ", config_.slots);
}

void ClassQueue::check() const {
    std::array<int64_t, 3> running{};
    std::array<int64_t, 3> waiting{};
    int64_t reclaimed = 0;
    for (const auto& [id, call] : calls_) {
        ++running[index(call.priority)];
        reclaimed += call.is_reclaimed ? 1 : 0;
        CHECK(!call.is_reclaimed || (call.priority == PriorityClass::batch && !call.is_streaming));
    }
    for (const auto& [key, lane] : lanes_) {
        CHECK(!lane.waiters.empty() && lane.turn < next_turn_);
        CHECK(!has_slot(key.first), "a call of class ", index(key.first), " waits beside a slot");
        int64_t bytes = 0;
        for (const Waiter& waiter : lane.waiters) {
            bytes += waiter.bytes;
            CHECK(places_.at(waiter.id) == key);
            CHECK(deadlines_.contains({waiter.deadline, waiter.id}));
        }
        CHECK(bytes == lane.bytes);
        waiting[index(key.first)] += std::ssize(lane.waiters);
    }
    CHECK(running == running_ && waiting == waiting_ && reclaimed == reclaimed_);
    const auto all_waiting = static_cast<size_t>(waiting[0] + waiting[1] + waiting[2]);
    CHECK(places_.size() == all_waiting && deadlines_.size() == all_waiting);
    const std::string over = excess();
    CHECK(is_settling_ || over.empty(), over);
}

}  // namespace brigada
