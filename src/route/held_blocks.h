// HeldBlocks: the blocks we believe one upstream's KV cache holds, as a tree of keys with the least
// recently used leaf going first. Blocks in a row that were last used together are one run, so that
// a call costs what is new of its prompt. Ancestors outlive descendants: what is held of a prompt
// is always its beginning.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "kv/block_key.h"
#include "route/block_holders.h"

namespace brigada {

class HeldBlocks {
  public:
    /// Room for `capacity` blocks; 0 holds nothing. `holders` has the keys and outlives this.
    HeldBlocks(uint32_t capacity, BlockHolders& holders);
    ~HeldBlocks();
    HeldBlocks(const HeldBlocks&) = delete;
    HeldBlocks& operator=(const HeldBlocks&) = delete;

    /// Among the holders.
    uint32_t holder() const { return holder_; }

    /// How many of the leading keys are held.
    uint32_t match(std::span<const BlockKey> keys) const;

    /// All keys of this prompt are held now and were just used. Evicts what was used longest ago;
    /// of a prompt longer than the limit only the beginning is held.
    void insert(std::span<const BlockKey> keys);

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
    uint32_t capacity() const { return capacity_; }
    size_t bytes() const;  // of its runs

    void check() const;

  private:
    static constexpr uint32_t kNone = BlockHolders::kNone;
    using Spot = BlockHolders::Spot;

    /// The blocks of a branch from where its parent ends there, else from the branch's beginning,
    /// to `end`. What continues it hangs from its end.
    struct Run {
        Spot end;  // of a free one: nothing
        uint32_t parent = kNone;
        uint32_t children = 0;
        uint32_t older = kNone;  // of a free one: the next free one
        uint32_t newer = kNone;
    };

    bool continues(uint32_t parent, uint32_t run) const;  // in the same branch
    uint32_t first_block(uint32_t run) const;             // of its branch
    uint32_t size(uint32_t run) const { return runs_[run].end.blocks - first_block(run); }

    void append(Spot from, std::span<const BlockKey> keys);
    void set_aside_after(uint32_t tip);
    uint32_t run_before(Spot spot);
    uint32_t cut(uint32_t run, uint32_t blocks);
    void use(uint32_t tip);
    void join_above(uint32_t run);
    void make_room(size_t blocks, uint32_t spared);
    void add(uint32_t tip, std::span<const BlockKey> keys);
    uint32_t go_on(uint32_t tip, Spot to);

    void shorten(uint32_t run, uint32_t blocks);
    void remove_from(uint32_t top);

    uint32_t new_run(const Run& run);
    void free_run(uint32_t run);
    void put_before(uint32_t newer, uint32_t run);
    void unlink(uint32_t run);

    void check_run(uint32_t run) const;

    BlockHolders& holders_;
    uint32_t holder_;
    uint32_t capacity_;
    uint32_t limit_;
    uint32_t blocks_ = 0;
    std::deque<Run> runs_;
    uint32_t free_ = kNone;    // the first of the free runs
    uint32_t oldest_ = kNone;  // by their last use, each run before its parent
    uint32_t newest_ = kNone;
};

}  // namespace brigada
