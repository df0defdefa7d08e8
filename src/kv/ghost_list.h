// GhostList: the keys of blocks evicted not long ago. It tells a re-prefill after eviction, which
// more memory or a better policy would have saved, from a first read, which nothing saves. Two
// halves take turns: the newer one fills, the older one is forgotten as a whole. Of a key it keeps
// half, so that one in a billion answers is wrong; nothing but a statistic is made of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kv/block_key.h"

namespace brigada {

class GhostList {
  public:
    /// Remembers the newest `capacity` evictions, or at least half as many; 0 remembers nothing.
    explicit GhostList(uint32_t capacity) : half_((capacity + 1) / 2) {}

    /// In the order they were evicted.
    void remember(std::span<const BlockKey> keys);

    /// Ask only of what is not cached: a block that came back is not taken off the list.
    bool contains(BlockKey key) const;
    void clear();

    bool empty() const { return halves_[0].size == 0 && halves_[1].size == 0; }
    void check() const;

  private:
    void remember(BlockKey key);

    /// A table by the lower half of a key, which holds the upper half.
    struct Half {
        std::vector<uint32_t> tags;  // 0: free
        uint32_t size = 0;

        size_t home_of(BlockKey key) const;   // where its search begins
        size_t place_of(BlockKey key) const;  // where it is, or would be
        void clear();
    };

    uint32_t half_;
    std::array<Half, 2> halves_;
    uint32_t newer_ = 0;
};

}  // namespace brigada
