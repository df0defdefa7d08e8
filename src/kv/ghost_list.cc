#include "kv/ghost_list.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

// Keys are random, and each is a line of memory that no cache holds: it is asked for so many keys
// before it is written.
constexpr size_t kAhead = 12;

uint32_t tag_of(BlockKey key) {
    return std::max(static_cast<uint32_t>(raw(key) >> 32), 1u);
}

}  // namespace

void GhostList::remember(std::span<const BlockKey> keys) {
    if (half_ == 0) return;
    for (size_t i = 0; i < keys.size(); ++i) {
        const Half& newer = halves_[newer_];
        const bool has_next = i + kAhead < keys.size() && !newer.tags.empty();
        if (has_next) __builtin_prefetch(&newer.tags[newer.home_of(keys[i + kAhead])], 1);
        remember(keys[i]);
    }
}

void GhostList::remember(BlockKey key) {
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

size_t GhostList::Half::home_of(BlockKey key) const {
    return (raw(key) & UINT32_MAX) * tags.size() >> 32;
}

size_t GhostList::Half::place_of(BlockKey key) const {
    const uint32_t tag = tag_of(key);
    size_t at = home_of(key);
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
