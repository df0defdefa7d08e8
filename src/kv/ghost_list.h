// GhostList: the keys of blocks evicted not long ago. It tells a re-prefill after eviction, which
// more memory or a better policy would have saved, from a first read, which nothing saves. Two
// halves take turns: the newer one fills, the older one is forgotten as a whole.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kv/block_key.h"
#include "kv/tag_table.h"

namespace brigada {

class GhostList {
  public:
    /// Remembers the newest `capacity` evictions, or at least half as many; 0 remembers nothing.
    explicit GhostList(uint32_t capacity) : half_((capacity + 1) / 2) {}

    void remember(BlockKey key);

    /// Ask only of what is not cached: a block that came back is not taken off the list.
    bool contains(BlockKey key) const;
    void clear();

    bool empty() const { return halves_[0].keys.empty() && halves_[1].keys.empty(); }
    void check() const;

  private:
    struct Half {
        std::vector<BlockKey> keys;  // oldest first
        TagTable places;             // in keys, by key; twice evicted, twice here

        bool contains(BlockKey key) const;
        void clear();
    };

    uint32_t half_;
    std::array<Half, 2> halves_;
    uint32_t newer_ = 0;
};

}  // namespace brigada
