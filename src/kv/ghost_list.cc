#include "kv/ghost_list.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {

GhostList::GhostList(uint32_t capacity)
    : ring_(capacity), table_(std::bit_ceil(size_t{2} * capacity + 2), kFree) {}

void GhostList::remember(BlockKey key) {
    if (ring_.empty()) return;
    forget(key);
    const auto place = static_cast<uint32_t>(next_place_);
    next_place_ = (next_place_ + 1) % ring_.size();
    const size_t oldest = find(ring_[place]);
    if (table_[oldest] == place) erase(oldest);
    ring_[place] = key;
    table_[find(key)] = place;
    ++size_;
}

void GhostList::forget(BlockKey key) {
    const size_t there = find(key);
    if (table_[there] != kFree) erase(there);
}

bool GhostList::contains(BlockKey key) const {
    return table_[find(key)] != kFree;
}

void GhostList::clear() {
    std::ranges::fill(table_, kFree);
    size_ = 0;
}

size_t GhostList::slot(BlockKey key) const {
    const uint64_t mixed = raw(key) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    return (mixed >> 32) & (table_.size() - 1);
}

/// Its slot, or the free one where it would go.
size_t GhostList::find(BlockKey key) const {
    size_t here = slot(key);
    while (table_[here] != kFree && ring_[table_[here]] != key)
        here = next(here);
    return here;
}

// What follows moves up, so that nobody is looked for beyond a hole.
void GhostList::erase(size_t hole) {
    for (size_t here = next(hole); table_[here] != kFree; here = next(here)) {
        const size_t wanted = slot(ring_[table_[here]]);
        const size_t from_wanted = (here - wanted) & (table_.size() - 1);
        const size_t from_hole = (here - hole) & (table_.size() - 1);
        if (from_wanted < from_hole) continue;
        table_[hole] = table_[here];
        hole = here;
    }
    table_[hole] = kFree;
    --size_;
}

void GhostList::check() const {
    size_t listed = 0;
    for (size_t i = 0; i < table_.size(); ++i) {
        if (table_[i] == kFree) continue;
        ++listed;
        CHECK(find(ring_.at(table_[i])) == i, "a ghost is not found, or twice");
    }
    CHECK(listed == size_ && size_ <= ring_.size());
}

}  // namespace brigada
