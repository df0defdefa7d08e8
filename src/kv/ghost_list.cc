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

GhostList::GhostList(uint32_t capacity) : ring_(capacity), places_(capacity) {}

void GhostList::remember(BlockKey key) {
    if (ring_.empty()) return;
    const uint32_t place = next_place_;
    next_place_ = (next_place_ + 1) % static_cast<uint32_t>(ring_.size());
    if (places_.size() == ring_.size()) places_.remove(hash_of(ring_[place]), place);
    ring_[place] = key;
    places_.add(hash_of(key), place);
}

bool GhostList::contains(BlockKey key) const {
    return places_.find(hash_of(key), [&](uint32_t place) { return ring_[place] == key; }) !=
           TagTable::kNone;
}

void GhostList::clear() {
    places_.clear();
    next_place_ = 0;
}

void GhostList::check() const {
    CHECK(places_.size() <= ring_.size());
    std::vector<bool> listed(ring_.size(), false);
    places_.for_each([&](uint32_t place) {
        CHECK(!listed.at(place) && contains(ring_[place]), "a ghost is not found, or twice");
        listed[place] = true;
    });
}

}  // namespace brigada
