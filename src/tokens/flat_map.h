// FlatMap: 64-bit keys to small values, filled once and then only read. One array, linear probing,
// at most half full: a lookup is one multiplication and nearly always one cache line.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace brigada {

template <typename Value>
class FlatMap {
  public:
    /// Room for `count` keys; more may not be inserted.
    explicit FlatMap(size_t count = 0)
        : slots_(std::bit_ceil(count * 2 + 2)), shift_(64 - std::countr_zero(slots_.size())) {}

    /// False when the key is there already; its value stays. A key of all ones is not allowed.
    bool insert(uint64_t key, Value value) {
        CHECK(key != kEmpty && size_ * 2 < slots_.size(), "key=", key, " size=", size_);
        Slot& slot = slots_[place_of(key)];
        if (slot.key == key) return false;
        slot = {key, value};
        ++size_;
        return true;
    }

    /// nullptr when the key is not there.
    const Value* find(uint64_t key) const {
        const Slot& slot = slots_[place_of(key)];
        return slot.key == key ? &slot.value : nullptr;
    }

    size_t size() const { return size_; }

  private:
    static constexpr uint64_t kEmpty = ~uint64_t{0};

    struct Slot {
        uint64_t key = kEmpty;
        Value value{};
    };

    /// Where the key is, or where it would go.
    size_t place_of(uint64_t key) const {
        size_t place = (key ^ key >> 29) * 0x9e3779b97f4a7c15 >> shift_;
        while (slots_[place].key != key && slots_[place].key != kEmpty)
            place = (place + 1) & (slots_.size() - 1);
        return place;
    }

    std::vector<Slot> slots_;
    int shift_;
    size_t size_ = 0;
};

}  // namespace brigada
