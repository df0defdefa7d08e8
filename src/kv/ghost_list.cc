#include "kv/ghost_list.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

uint32_t tag_of(BlockKey key) {
    return std::max(static_cast<uint32_t>(raw(key) >> 32), 1u);
}

}  // namespace

void GhostList::remember(BlockKey key) {
    if (half_ == 0) return;
    if (halves_[newer_].size == half_) {
        newer_ = 1 - newer_;
        halves_[newer_].clear();
    }
    Half& newer = halves_[newer_];
    if (newer.tags.empty()) newer.tags.resize(size_t{half_} + half_ / 2 + 1);
    newer.tags[newer.place_of(key)] = tag_of(key);
    ++newer.size;
}

bool GhostList::contains(BlockKey key) const {
    return std::ranges::any_of(halves_, [&](const Half& half) {
        return half.size > 0 && half.tags[half.place_of(key)] != 0;
    });
}

void GhostList::clear() {
    for (Half& half : halves_)
        half.clear();
}

size_t GhostList::Half::place_of(BlockKey key) const {
    const uint32_t tag = tag_of(key);
    size_t at = (raw(key) & UINT32_MAX) * tags.size() >> 32;
    while (tags[at] != 0 && tags[at] != tag)
        at = at + 1 == tags.size() ? 0 : at + 1;
    return at;
}

void GhostList::Half::clear() {
    std::ranges::fill(tags, 0);
    size = 0;
}

void GhostList::check() const {
    for (const Half& half : halves_) {
        const auto tags = std::ranges::count_if(half.tags, [](uint32_t tag) { return tag != 0; });
        CHECK(half.size <= half_ && tags <= half.size, "a tag nobody put there");
    }
}

}  // namespace brigada
