#include "kv/ghost_list.h"

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

uint64_t hash_of(BlockKey key) {
    return raw(key) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
}

}  // namespace

void GhostList::remember(BlockKey key) {
    if (half_ == 0) return;
    if (halves_[newer_].keys.size() == half_) {
        newer_ = 1 - newer_;
        halves_[newer_].clear();
    }
    Half& newer = halves_[newer_];
    newer.places.add(hash_of(key), static_cast<uint32_t>(newer.keys.size()));
    newer.keys.push_back(key);
}

bool GhostList::contains(BlockKey key) const {
    return halves_[newer_].contains(key) || halves_[1 - newer_].contains(key);
}

void GhostList::clear() {
    for (Half& half : halves_)
        half.clear();
}

bool GhostList::Half::contains(BlockKey key) const {
    const uint32_t place =
        places.find(hash_of(key), [&](uint32_t candidate) { return keys[candidate] == key; });
    return place != TagTable::kNone;
}

void GhostList::Half::clear() {
    places.clear();
    keys.clear();
}

void GhostList::check() const {
    for (const Half& half : halves_) {
        CHECK(half.places.size() == half.keys.size() && half.keys.size() <= half_);
        std::vector<bool> listed(half.keys.size(), false);
        half.places.for_each([&](uint32_t place) {
            CHECK(!listed.at(place) && half.contains(half.keys[place]), "a ghost is not found");
            listed[place] = true;
        });
    }
}

}  // namespace brigada
