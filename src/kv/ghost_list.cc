#include "kv/ghost_list.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

uint64_t hash_of(BlockKey key) {
    return raw(key) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
}

}  // namespace

GhostList::GhostList(uint32_t capacity)
    : ring_(capacity), listed_(capacity, false), places_(capacity) {}

void GhostList::remember(BlockKey key) {
    if (ring_.empty()) return;
    forget(key);
    const uint32_t place = next_place_;
    next_place_ = (next_place_ + 1) % static_cast<uint32_t>(ring_.size());
    if (listed_[place]) places_.remove(hash_of(ring_[place]), place);
    ring_[place] = key;
    listed_[place] = true;
    places_.add(hash_of(key), place);
}

void GhostList::forget(BlockKey key) {
    const uint32_t place = find(key);
    if (place == TagTable::kNone) return;
    places_.remove(hash_of(key), place);
    listed_[place] = false;
}

bool GhostList::contains(BlockKey key) const {
    return find(key) != TagTable::kNone;
}

void GhostList::clear() {
    places_.clear();
    listed_.assign(listed_.size(), false);
}

uint32_t GhostList::find(BlockKey key) const {
    return places_.find(hash_of(key), [&](uint32_t place) { return ring_[place] == key; });
}

void GhostList::check() const {
    CHECK(places_.size() == static_cast<size_t>(std::ranges::count(listed_, true)));
    places_.for_each([&](uint32_t place) {
        CHECK(listed_.at(place) && find(ring_[place]) == place, "a ghost is not found, or twice");
    });
}

}  // namespace brigada
