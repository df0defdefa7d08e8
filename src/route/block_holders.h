// BlockHolders: which upstreams hold a block, for all upstreams in one table, so that how much of a
// prompt each of a thousand holds takes the looks of a few. Every upstream is a holder with blocks
// of its own, numbered by itself; most keys have one holder, those of a system prompt have many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_pages.h"
#include "kv/block_key.h"

namespace brigada {

class BlockHolders {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;

    /// `salt` decides where keys lie in the table, so that nobody can write prompts that crowd one
    /// place.
    explicit BlockHolders(uint64_t salt);

    /// A new holder of at most so many blocks, numbered from 0.
    uint32_t add_holder(uint32_t blocks);

    /// Its number may be given to another. It must hold nothing.
    void remove_holder(uint32_t holder);

    /// The number that the holder gave to the block of this key; kNone: it does not hold it.
    uint32_t find(BlockKey key, uint32_t holder) const;

    BlockKey key(uint32_t holder, uint32_t block) const { return keys_[holder][block]; }

    /// This key will be asked for soon: fetches its place of the table, which is too large for any
    /// cache.
    void expect(BlockKey key) const { __builtin_prefetch(&table_[home(tag_of(key))]); }

    void add(BlockKey key, uint32_t holder, uint32_t block);
    void remove(uint32_t holder, uint32_t block);

    /// How many of the leading keys each holder in `asked` (ascending) holds. Whoever holds a key
    /// holds those before it.
    std::vector<uint32_t> match(std::span<const BlockKey> keys,
                                std::span<const uint32_t> asked) const;

    size_t blocks() const { return blocks_; }  // of all holders
    size_t bytes() const;

    void check() const;

  private:
    static constexpr uint32_t kShared = UINT32_MAX - 1;

    /// A place of the table: half of the key's hash, and the one block that has the key, or which
    /// of shared_ names all.
    struct Entry {
        uint32_t tag = 0;
        uint32_t holder = kNone;  // kNone: free; kShared: `block` is a place in shared_
        uint32_t block = 0;
    };

    using HolderSet = std::vector<uint64_t>;  // a bit each

    struct Shared {
        BlockKey key{};
        std::vector<std::pair<uint32_t, uint32_t>> blocks;  // (holder, block), ascending
        HolderSet holders;
    };

    uint32_t tag_of(BlockKey key) const;
    size_t home(uint32_t tag) const { return uint64_t{tag} * table_.size() >> 32; }
    size_t next(size_t at) const { return at + 1 == table_.size() ? 0 : at + 1; }
    size_t distance(size_t from, size_t to) const;
    const Entry* entry(BlockKey key) const;
    bool is_of(const Entry& entry, BlockKey key) const;
    void put(const Entry& entry);
    void grow();
    void close_hole(size_t hole);
    void share(Entry& entry, BlockKey key, uint32_t holder, uint32_t block);
    void unshare(Entry& entry, uint32_t holder);
    HolderSet holding(BlockKey key, const HolderSet& asked) const;
    void match_between(std::span<const BlockKey> keys, uint32_t least, uint32_t most,
                       HolderSet asked, std::vector<uint32_t>& blocks) const;

    uint64_t salt_;
    std::vector<Entry, HugePages<Entry>> table_;
    size_t used_ = 0;  // places of the table
    size_t blocks_ = 0;
    std::vector<std::vector<BlockKey>> keys_;  // by holder and block
    std::vector<uint32_t> free_holders_;
    std::vector<Shared> shared_;
    std::vector<uint32_t> free_shared_;
};

}  // namespace brigada
