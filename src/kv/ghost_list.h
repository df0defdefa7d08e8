// GhostList: the keys of blocks evicted not long ago. It tells a re-prefill after eviction, which
// more memory or a better policy would have saved, from a first read, which nothing saves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kv/block_key.h"
#include "kv/tag_table.h"

namespace brigada {

class GhostList {
  public:
    /// Remembers the newest `capacity` evictions; 0 remembers nothing.
    explicit GhostList(uint32_t capacity);

    void remember(BlockKey key);

    /// Ask only of what is not cached: a block that came back is not taken off the list.
    bool contains(BlockKey key) const;
    void clear();

    bool empty() const { return places_.size() == 0; }
    void check() const;

  private:
    std::vector<BlockKey> ring_;  // in the order of eviction; the first places_.size() are used
    TagTable places_;             // in the ring, by key; twice evicted, twice here
    uint32_t next_place_ = 0;
};

}  // namespace brigada
