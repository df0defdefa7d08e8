// GhostList: the keys of blocks evicted not long ago. It tells a re-prefill after eviction, which
// more memory or a better policy would have saved, from a first read, which nothing saves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kv/block_key.h"

namespace brigada {

class GhostList {
  public:
    /// Remembers the newest `capacity` evictions; 0 remembers nothing.
    explicit GhostList(uint32_t capacity);

    void remember(BlockKey key);
    void forget(BlockKey key);  // it is cached again
    bool contains(BlockKey key) const;
    void clear();

    size_t size() const { return size_; }
    void check() const;

  private:
    static constexpr uint32_t kFree = UINT32_MAX;

    size_t slot(BlockKey key) const;
    size_t next(size_t slot) const { return (slot + 1) & (table_.size() - 1); }
    size_t find(BlockKey key) const;
    void erase(size_t slot);

    std::vector<BlockKey> ring_;   // eviction order; a forgotten key stays until overwritten
    std::vector<uint32_t> table_;  // by key, open: a place in the ring or kFree; half full at most
    size_t next_place_ = 0;
    size_t size_ = 0;
};

}  // namespace brigada
