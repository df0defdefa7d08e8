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
    void forget(BlockKey key);  // it is cached again
    bool contains(BlockKey key) const;
    void clear();

    size_t size() const { return places_.size(); }
    void check() const;

  private:
    uint32_t find(BlockKey key) const;

    std::vector<BlockKey> ring_;  // eviction order; a forgotten key stays until overwritten
    std::vector<bool> listed_;    // by place in the ring
    TagTable places_;             // by key
    uint32_t next_place_ = 0;
};

}  // namespace brigada
