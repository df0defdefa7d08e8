// BlockHolders: the blocks that upstreams hold, those of all upstreams in one tree, so that how
// much of a prompt each of a thousand holds is one walk along it. Keys that follow each other are
// one branch, copied and compared as a whole; others leave it after any of its blocks. Every
// upstream is a holder with a share in branches, always their beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "kv/block_key.h"
#include "kv/tag_table.h"
#include "route/key_array.h"

namespace brigada {

class BlockHolders {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;

    /// A place in the tree: after so many blocks of a branch, or before all blocks.
    struct Spot {
        uint32_t branch = kNone;
        uint32_t blocks = 0;
        friend bool operator==(const Spot&, const Spot&) = default;
    };

    /// How many blocks of a branch a holder holds. `run` is a note of its own.
    struct Share {
        uint32_t holder = kNone;
        uint32_t run = kNone;
        uint32_t blocks = 0;
    };

    /// How far a prompt is held: where that is, and how many of its blocks it took to get there.
    struct Reach {
        Spot spot;
        uint32_t blocks = 0;
    };

    /// `salt` decides where keys lie in the table, so that nobody can write prompts that crowd one
    /// place.
    explicit BlockHolders(uint64_t salt);

    uint32_t add_holder();

    /// Its number may be given to another. It must hold nothing.
    void remove_holder(uint32_t holder);

    /// How many of the leading keys each of the holders in `asked` holds.
    std::vector<uint32_t> match(std::span<const BlockKey> keys,
                                std::span<const uint32_t> asked) const;

    /// How far the holder, which holds all before `from`, holds the keys that follow there.
    Reach reach(uint32_t holder, Spot from, std::span<const BlockKey> keys) const;

    /// The spot before the block of this key, if the holder holds it. The first time is slow: from
    /// then on single blocks are found, which costs those who only route nothing.
    std::optional<Spot> find(BlockKey key, uint32_t holder);

    /// Where the keys lead from a spot that the holder holds, as far as that is one branch: on in
    /// its own, or into another. What nobody holds there is added; set_share() says who does.
    Spot lead(uint32_t holder, Spot from, std::span<const BlockKey> keys);

    /// Copies what follows `spot`, from which no branch leaves, to a branch that leaves there;
    /// set_share() says who holds it and no longer the other. kNone: the holder is not alone there.
    uint32_t split(uint32_t holder, Spot spot);

    /// The holder's share of this branch; of no blocks when it has none.
    Share share(uint32_t branch, uint32_t holder) const;

    /// What nobody holds any more is forgotten.
    void set_share(uint32_t branch, const Share& share);

    size_t blocks() const;  // of all holders, counted one by one
    size_t bytes() const;

    void check() const;

  private:
    static constexpr uint32_t kShared = UINT32_MAX - 1;

    /// As long as its longest share. One without keys is free.
    struct Branch {
        [[no_unique_address]] KeyArray keys;
        Spot from;                // where it leaves its parent
        uint32_t next = kNone;    // of its bucket, or the next free one
        uint32_t holder = kNone;  // the only one; kShared: `run` is a place in shares_
        uint32_t run = kNone;
    };
    static_assert(sizeof(Branch) == 32);

    using Shares = std::vector<Share>;  // in ascending order of holder

    std::span<const BlockKey> keys_after(Spot spot) const;
    uint64_t hash_of(BlockKey key, Spot from) const;
    size_t bucket_of(BlockKey key, Spot from) const;
    uint32_t branch_at(Spot from, BlockKey key) const;
    Spot step(Spot from, std::span<const BlockKey> keys) const;
    std::span<const Share> shares_of(const Branch& branch, Share& only) const;

    uint32_t add_branch(Spot from, std::span<const BlockKey> keys);
    void free_branch(uint32_t id);
    void put(uint32_t id);
    void grow_buckets();

    void share_with_others(Branch& branch);
    void share_no_more(Branch& branch);
    void lengthen(uint32_t id, std::span<const BlockKey> keys);
    void truncate(uint32_t id, uint32_t blocks);

    void list_blocks();
    uint64_t block_hash(BlockKey key) const { return hash_of(key, {}); }

    void check_branch(uint32_t id) const;

    uint64_t salt_;
    uint32_t holders_ = 0;  // numbers given out so far
    std::vector<uint32_t> free_holders_;
    std::deque<Branch> branches_;
    size_t used_ = 0;                // of branches_
    uint32_t free_ = kNone;          // the first of the others
    std::vector<uint32_t> buckets_;  // branches by first key and origin
    std::vector<Shares> shares_;     // of branches with several holders
    std::vector<uint32_t> free_shares_;
    std::optional<TagTable> by_block_;  // branches by each of their keys, once find() was called
};

}  // namespace brigada
