// PrefixTree: every cached block, each hanging from the block before it. Walking down compares
// tokens, so a hash collision can cost time but never serve another prompt's KV. What a sequence
// uses is locked; of the rest the least valuable leaf goes first, so a path never has a hole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "kv/block_key.h"
#include "kv/retention.h"
#include "kv/tag_table.h"

namespace brigada {

/// Where a walk down the tree ended. Ancestors outlive descendants, so while that block is the
/// same, the whole path is, and the next walk goes on from there. Whoever knows that other tokens
/// only begin like those walked lowers `blocks` to how many they share.
struct KvCursor {
    BlockId block{};
    uint64_t birth = 0;   // of that block; 0: a walk has not found any block yet
    uint32_t blocks = 0;  // length of the path
};

enum class KvScopeId : uint32_t {};  // one (salt, LoRA) pair, while sequences or blocks refer to it

class PrefixTree {
  public:
    PrefixTree(uint32_t blocks, uint32_t block_tokens);  // a token here is one id

    /// A new step: what is used from now on is more recent, and hints that lapsed by `now` end.
    void begin_step(Instant now);

    /// The scope of these strings, made if new, with one more reference.
    KvScopeId open_scope(const std::string& salt, const std::string& lora);
    void add_scope_ref(KvScopeId scope);
    void close_scope(KvScopeId scope);
    std::optional<KvScopeId> find_scope(const std::string& salt, const std::string& lora) const;
    std::optional<BlockKey> scope_root(KvScopeId scope) const;

    /// The longest path of full blocks of `tokens`, root first, at most `max_blocks` long, walking
    /// on from `cursor`.
    std::vector<BlockId> match(KvScopeId scope, std::span<const TokenId> tokens,
                               uint32_t max_blocks, KvCursor cursor = {}) const;

    /// The length of that path in blocks, walking on from `cursor`, which then stands at its end.
    uint32_t match_on(KvScopeId scope, std::span<const TokenId> tokens, uint32_t max_blocks,
                      KvCursor& cursor) const;

    /// Where a walk that ends at this block would leave its cursor.
    KvCursor cursor(BlockId block) const;

    /// How many blocks of the path that ends at `cursor` are not locked. Call it right after a
    /// walk.
    uint32_t unlocked_on_path(const KvCursor& cursor) const;

    /// Adds `block`, holding `tokens` (one full block), under `parent` (none: first block of the
    /// scope). When that place is taken by an equal block, adds nothing and returns the block
    /// there. Either way it is locked once for the caller and used by `session`. The parent must be
    /// locked.
    BlockId insert(KvScopeId scope, std::optional<BlockId> parent, std::span<const TokenId> tokens,
                   BlockId block, SessionId session);

    /// One sequence of `session` uses the blocks of this path, root first; they cannot be evicted
    /// until unlocked.
    void lock(std::span<const BlockId> path, SessionId session);

    /// A fork uses it as well: as lock(), for a block that is locked already, by the same session.
    void lock_again(BlockId block);

    /// The reverse, descendants first, so that the deepest block goes first.
    void unlock(std::span<const BlockId> path);

    /// Removes the least valuable leaf that is not locked.
    struct Evicted {
        BlockId block;
        BlockKey key;
    };
    std::optional<Evicted> evict();

    /// Removes this block, which must be an unlocked leaf.
    void remove(BlockId block);

    /// The first hint of a new block: holds until `expiry`, whether above or below the default.
    void assign(BlockId block, uint8_t priority, Instant expiry);

    /// A further hint: only raises, to a higher priority or to a later expiry of the same.
    void retain(BlockId block, uint8_t priority, Instant expiry);

    /// A turn of `session` ended whose path is `path`, root first. What only its older state used
    /// is demoted, provided the new turn extends it: shares at least half of its blocks. Returns
    /// how many blocks were demoted.
    uint32_t supersede(SessionId session, std::span<const BlockId> path);

    bool contains(BlockId block) const { return node(block).live; }
    bool is_leaf(BlockId block) const { return node(block).children == 0; }
    bool is_open_leaf(BlockId block) const;  // no child, no lock: could go now
    bool is_locked(BlockId block) const { return node(block).locks > 0; }
    BlockKey key(BlockId block) const { return place(block).key; }
    std::optional<BlockId> parent(BlockId block) const;
    KvScopeId scope(BlockId block) const { return place(block).scope; }
    uint8_t priority(BlockId block) const { return node(block).priority; }
    uint32_t locks(BlockId block) const { return node(block).locks; }
    uint32_t blocks() const { return live_; }
    uint32_t evictable_blocks() const { return unlocked_; }
    size_t scopes() const { return scopes_.size(); }
    Instant next_lapse() const {
        return expiries_.empty() ? Instant::never() : expiries_.begin()->first;
    }

    /// Calls visit(key, parent key, tokens) for every block, parents before children.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const BlockId block : parents_first())
            visit(key(block), parent_key(block), tokens(block));
    }

    void check() const;

  private:
    static constexpr BlockId kNone{UINT32_MAX};
    static constexpr uint32_t kNotALeaf = UINT32_MAX;

    /// What every use of a block looks at; half a cache line.
    struct Node {
        uint32_t locks = 0;
        uint32_t children = 0;
        uint64_t last_used = 0;  // when it was unlocked
        SessionId session{};     // the only session that used it; 0: none or several
        uint8_t priority = kPriorityDefault;
        bool live = false;
        bool shared = false;      // several conversations continue from here or below
        bool superseded = false;  // demoted; the next use restores it
    };

    /// Where it stands.
    struct Place {
        BlockKey key{};
        BlockId parent = kNone;  // kNone: first block of its scope
        KvScopeId scope{};
        uint32_t depth = 0;         // blocks before this one
        uint32_t leaf = kNotALeaf;  // its place in leaves_
        uint64_t birth = 0;         // counts insertions; tells a block from its id's next use
        Instant expiry = Instant::never();  // when the priority lapses
        Instant look_again_at =
            Instant::never();  // its entry in expiries_, never later; never: none
    };

    struct Scope {
        std::string salt;
        std::string lora;
        std::optional<BlockKey> root;
        uint32_t refs = 0;  // open sequences and blocks
    };

    /// Ascending order is the order of eviction.
    struct Rank {
        uint8_t priority;
        uint64_t last_used;
        uint32_t depth_below_max;  // deeper first
        BlockId block;
        friend auto operator<=>(const Rank&, const Rank&) = default;
    };

    Node& node(BlockId block) { return nodes_[raw(block)]; }
    const Node& node(BlockId block) const { return nodes_[raw(block)]; }
    Place& place(BlockId block) { return places_[raw(block)]; }
    const Place& place(BlockId block) const { return places_[raw(block)]; }
    std::span<const TokenId> tokens(BlockId block) const;
    std::optional<BlockKey> parent_key(BlockId block) const;
    std::vector<BlockId> parents_first() const;
    BlockId ancestor(BlockId block, uint32_t blocks) const;  // the end of a path so long
    static uint64_t hash_of(BlockKey key, BlockId parent);
    BlockId find(KvScopeId scope, BlockId parent, BlockKey key,
                 std::span<const TokenId> tokens) const;
    Rank rank(BlockId block) const;
    void open_leaf(BlockId block);
    void close_leaf(BlockId block);
    void put_leaf(size_t at, const Rank& leaf);
    void settle_leaf(size_t at);
    void lock_one(BlockId block, SessionId session);
    void unlock_one(BlockId block);
    void used_by(BlockId block, SessionId session);
    void move_tip_up(SessionId session, BlockId block);
    void mark_shared(BlockId block);
    void rank_anew(BlockId block, uint8_t priority);
    void look_again(BlockId block, Instant at);
    void lapse_hints(Instant now);
    void check_node(BlockId block) const;
    void check_index() const;

    uint32_t block_tokens_;
    uint64_t step_ = 0;
    uint64_t births_ = 0;
    Instant now_;
    uint32_t live_ = 0;
    uint32_t unlocked_ = 0;
    std::vector<Node> nodes_;    // by block id
    std::vector<Place> places_;  // by block id
    Tokens tokens_;              // block_tokens of each block
    TagTable index_;             // by key and parent
    std::vector<Rank> leaves_;   // unlocked blocks without children; a heap, the first to go on top
    std::set<std::pair<Instant, BlockId>> expiries_;  // when to look at a hint again
    std::unordered_map<SessionId, BlockId> tips_;  // the deepest block that only this session used
    std::map<std::pair<std::string, std::string>, KvScopeId> scope_ids_;
    std::unordered_map<KvScopeId, Scope> scopes_;
    uint32_t next_scope_ = 0;
};

}  // namespace brigada
