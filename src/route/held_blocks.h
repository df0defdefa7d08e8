// HeldBlocks: the blocks we believe one upstream's KV cache holds, as a tree of keys with the least
// recently used leaf going first. Ancestors outlive descendants, so what is held of a prompt is
// always its beginning, and its length is found by bisection.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kv/block_key.h"
#include "route/block_holders.h"

namespace brigada {

class HeldBlocks {
  public:
    /// Room for `capacity` blocks; 0 holds nothing. `holders` finds them and outlives this.
    HeldBlocks(uint32_t capacity, BlockHolders& holders);
    ~HeldBlocks();
    HeldBlocks(const HeldBlocks&) = delete;
    HeldBlocks& operator=(const HeldBlocks&) = delete;

    /// Among the holders.
    uint32_t holder() const { return holder_; }

    /// How many of the leading keys are held. A good guess takes two looks.
    uint32_t match(std::span<const BlockKey> keys, uint32_t guess = 0) const;

    /// All keys of this prompt are held now and were just used. Evicts what was used longest ago;
    /// of a prompt longer than the limit only the beginning is held. `guess` as above.
    void insert(std::span<const BlockKey> keys, uint32_t guess = 0);

    /// `keys` are held in a chain below `parent`. With a parent that is not held nothing happens,
    /// since a block without its past is of no use.
    void extend(std::optional<BlockKey> parent, std::span<const BlockKey> keys);

    /// This block is gone, and with it whatever continues it.
    void remove(BlockKey key);

    void clear();

    /// Hold at most so many blocks from now on; at most the capacity.
    void set_limit(uint32_t blocks);

    uint32_t blocks() const { return blocks_; }
    uint32_t limit() const { return limit_; }
    uint32_t capacity() const { return static_cast<uint32_t>(nodes_.size()); }
    size_t bytes() const;  // of tree and heap

    void check() const;

  private:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr uint32_t kFree = UINT32_MAX - 1;  // the parent of a free node

    struct Node {
        uint64_t last_used = 0;  // step of the last use that ended here; see erase
        uint32_t parent = kNone;
        uint32_t first_child = kNone;
        uint32_t next_sibling = kNone;  // of a free node: the next free one
        uint32_t previous_sibling = kNone;
        uint32_t heap_place = kNone;  // a leaf's place in leaves_
    };

    uint32_t find(BlockKey key) const { return holders_.find(key, holder_); }
    void free_node(uint32_t node);
    void append(uint32_t here, std::span<const BlockKey> keys);
    bool make_room(uint32_t spared);
    uint32_t add(BlockKey key, uint32_t parent);
    void use(uint32_t node);
    void evict_leaf(uint32_t spared);
    void erase(uint32_t node);
    void unlink_from_parent(uint32_t node);

    bool goes_before(uint32_t a, uint32_t b) const;
    void list_if_leaf(uint32_t node);
    void unlist(uint32_t node);
    void settle(uint32_t place);
    void put(uint32_t place, uint32_t node);

    void check_node(uint32_t node) const;

    BlockHolders& holders_;
    uint32_t holder_;
    uint32_t limit_;
    uint32_t blocks_ = 0;
    uint64_t step_ = 0;
    uint32_t free_ = kNone;         // first of the free nodes
    std::vector<Node> nodes_;       // one for each block there is room for
    std::vector<uint32_t> leaves_;  // a binary heap, the one to go first at the top
};

}  // namespace brigada
