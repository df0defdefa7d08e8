// RecentKeys: the keys used last, at most so many of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

#include "kv/block_key.h"

namespace brigada {

class RecentKeys {
  public:
    /// 0 keeps none.
    explicit RecentKeys(uint64_t capacity) : capacity_(capacity) {}

    bool contains(BlockKey key) const { return places_.contains(key); }

    /// The key is the one used last. Returns the one that had to go for it: itself where none are
    /// kept.
    std::optional<BlockKey> use(BlockKey key);

    uint64_t size() const { return places_.size(); }
    uint64_t capacity() const { return capacity_; }
    void check() const;

  private:
    uint64_t capacity_;
    std::list<BlockKey> order_;  // used last first
    std::unordered_map<BlockKey, std::list<BlockKey>::iterator> places_;
};

}  // namespace brigada
