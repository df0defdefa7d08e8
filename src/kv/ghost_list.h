// GhostList: the keys of blocks evicted not long ago. It tells a re-prefill after eviction, which
// more memory or a better policy would have saved, from a first read, which nothing saves.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kv/block_key.h"

namespace brigada {

class GhostList {
  public:
    /// Remembers the newest `capacity` evictions; 0 remembers nothing.
    explicit GhostList(uint32_t capacity) : ring_(capacity) {}

    void remember(BlockKey key);
    void forget(BlockKey key) { places_.erase(key); }  // it is cached again
    bool contains(BlockKey key) const { return places_.contains(key); }
    void clear();

    size_t size() const { return places_.size(); }
    void check() const;

  private:
    std::vector<BlockKey> ring_;  // eviction order; a forgotten key's place stays until overwritten
    uint64_t evictions_ = 0;      // the next place is this modulo the capacity
    std::unordered_map<BlockKey, uint64_t> places_;  // key -> number of its latest eviction
};

}  // namespace brigada
