#include "admit/sliding_window.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {

SlotId SlidingWindow::add(int64_t amount, Instant now) {
    CHECK(amount >= 0);
    CHECK(slots_.empty() || slots_.back().last <= now);
    drop_left(now);
    if (needs_slot(now)) {
        slots_.push_back({now, 0});
        newest_began_ = now;
    }
    slots_.back().last = now;
    slots_.back().amount += amount;
    sum_ += amount;
    return SlotId{first_id_ + slots_.size() - 1};
}

bool SlidingWindow::needs_slot(Instant now) const {
    return slots_.size() < kOwnSlots || now - newest_began_ >= kGrain;
}

void SlidingWindow::change(SlotId slot, int64_t by) {
    if (raw(slot) < first_id_) return;
    const uint64_t index = raw(slot) - first_id_;
    CHECK(index < slots_.size(), "slot ", raw(slot), " was never given out");
    slots_[index].amount += by;
    sum_ += by;
    CHECK(slots_[index].amount >= 0, "slot ", raw(slot), ": more was taken back than added");
}

int64_t SlidingWindow::used(Instant now) const {
    int64_t used = sum_;
    for (auto slot = slots_.begin(); slot != slots_.end() && has_left(*slot, now); ++slot)
        used -= slot->amount;
    return used;
}

std::optional<Instant> SlidingWindow::when_room(int64_t amount, int64_t limit, Instant now) const {
    if (amount > limit) return std::nullopt;
    int64_t used = sum_;
    Instant at = now;
    for (auto slot = slots_.begin(); used > limit - amount; ++slot) {
        CHECK(slot != slots_.end());  // without any slot, 0 is used
        used -= slot->amount;
        at = std::max(at, slot->last + kSpan);
    }
    return at;
}

Instant SlidingWindow::empty_at(Instant now) const {
    return slots_.empty() ? now : std::max(now, slots_.back().last + kSpan);
}

std::span<const SlidingWindow::Slot> SlidingWindow::counted(Instant now) const {
    const auto stays =
        std::ranges::find_if(slots_, [&](const Slot& slot) { return !has_left(slot, now); });
    return {stays, slots_.end()};
}

bool SlidingWindow::trim(Instant now) {
    drop_left(now);
    if (slots_.empty()) slots_.shrink_to_fit();
    return slots_.empty();
}

void SlidingWindow::drop_left(Instant now) {
    const auto stays =
        std::ranges::find_if(slots_, [&](const Slot& slot) { return !has_left(slot, now); });
    if (stays == slots_.begin()) return;
    for (auto slot = slots_.begin(); slot != stays; ++slot)
        sum_ -= slot->amount;
    first_id_ += static_cast<uint64_t>(stays - slots_.begin());
    slots_.erase(slots_.begin(), stays);
}

void SlidingWindow::check() const {
    int64_t sum = 0;
    for (const Slot& slot : slots_) {
        CHECK(slot.amount >= 0);
        sum += slot.amount;
    }
    CHECK(sum == sum_, "slots add up to ", sum, ", the sum is ", sum_);
    CHECK(std::ranges::is_sorted(slots_, {}, &Slot::last));
    CHECK(slots_.size() <= kMaxSlots, slots_.size(), " slots");
}

}  // namespace brigada
