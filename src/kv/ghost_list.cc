#include "kv/ghost_list.h"

#include "base/check.h"

namespace brigada {

void GhostList::remember(BlockKey key) {
    if (ring_.empty()) return;
    BlockKey& place = ring_[evictions_ % ring_.size()];
    const auto oldest = places_.find(place);
    const bool still_there = oldest != places_.end() && oldest->second + ring_.size() == evictions_;
    if (still_there) places_.erase(oldest);
    place = key;
    places_[key] = evictions_++;
}

void GhostList::clear() {
    places_.clear();
}

void GhostList::check() const {
    CHECK(places_.size() <= ring_.size());
    for (const auto& [key, eviction] : places_) {
        CHECK(eviction < evictions_ && eviction + ring_.size() >= evictions_);
        CHECK(ring_[eviction % ring_.size()] == key);
    }
}

}  // namespace brigada
