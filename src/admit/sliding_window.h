// SlidingWindow: a sum that holds in every 60-second span, in integers and small memory. An entry
// counts for 60 seconds, or up to one more where entries share a slot; never for less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"

namespace brigada {

/// Where an entry was counted, so that it can be corrected later. Never used twice in one window.
enum class SlotId : uint64_t {};

/// `now` never goes back from one call to the next.
class SlidingWindow {
  public:
    static constexpr Duration kSpan = Duration::seconds(60);

    /// Entries that follow the newest slot's first within this time may share it.
    static constexpr Duration kGrain = Duration::seconds(1);

    /// Up to here every entry has a slot of its own and leaves exactly when its 60 seconds are
    /// over. So a limit of up to 128 a minute is used to the full in every span.
    static constexpr size_t kOwnSlots = 128;

    /// Slots that were shared begin at least kGrain apart: 61 of them live at most, and these come
    /// on top of kOwnSlots. 16 bytes each: 3 KB when fullest, nothing when idle.
    static constexpr size_t kMaxSlots = kOwnSlots + 61;

    SlotId add(int64_t amount, Instant now);

    /// Corrects an entry: by what it was too small, or too large (negative). Nothing when its slot
    /// has left the span. A slot's sum stays at least 0.
    void change(SlotId slot, int64_t by);

    int64_t used(Instant now) const;

    /// The first instant at which `amount` fits under `limit` if nothing else comes; nothing if it
    /// is larger than the limit.
    std::optional<Instant> when_room(int64_t amount, int64_t limit, Instant now) const;

    /// When nothing that was added counts any more; `now` if nothing does.
    Instant empty_at(Instant now) const;

    /// Gives back what left the span, memory too when nothing is left; true then.
    bool trim(Instant now);

    size_t slots() const { return slots_.size(); }

    struct Slot {
        Instant last;  // its newest entry: all of it leaves 60 seconds after that
        int64_t amount = 0;
    };

    /// What counts now, oldest first; good until the next change.
    std::span<const Slot> counted(Instant now) const;

    /// Proves that slots are in order, within their number, and add up to the sum.
    void check() const;

  private:
    static bool has_left(const Slot& slot, Instant now) { return slot.last + kSpan <= now; }
    bool needs_slot(Instant now) const;
    void drop_left(Instant now);

    std::vector<Slot> slots_;  // oldest first
    uint64_t first_id_ = 0;    // of slots_[0]; ids count up
    int64_t sum_ = 0;          // of slots_, those included that left since the last add
    Instant newest_began_;     // first entry of the newest slot
};

}  // namespace brigada
