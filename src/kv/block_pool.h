// BlockPool: the blocks of KV and how many hold each. A block that nobody holds is free; the block
// freed last is taken first, so that a hot one stays in the processor's cache and partial tails,
// which are freed often, never displace what is cached.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace brigada {

class BlockPool {
  public:
    explicit BlockPool(uint32_t blocks);

    /// A free block, now with one reference. There must be one.
    BlockId take();

    void add_ref(BlockId block);

    /// Gives one reference back; true when that freed the block.
    bool drop_ref(BlockId block);

    uint32_t refs(BlockId block) const { return refs_[raw(block)]; }
    uint32_t blocks() const { return static_cast<uint32_t>(refs_.size()); }
    uint32_t free_blocks() const { return static_cast<uint32_t>(free_.size()); }

    /// Proves that exactly the blocks without references are on the free list, once each.
    void check() const;

  private:
    std::vector<uint32_t> refs_;
    std::vector<BlockId> free_;  // a stack
};

}  // namespace brigada
