// PrefixTree: every cached block, each hanging from the block before it. Walking down compares
// tokens, so a hash collision can cost time but never serve another prompt's KV. What a sequence
// uses is locked; of the rest the least valuable leaf goes first, so a path never has a hole.
// Blocks in a row that share one fate are one run, so that a call costs what is new of its prompt
// and not what is old.
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
    PrefixTree(uint32_t blocks, uint32_t block_tokens,  // a token here is one id
               RetentionPolicy retention = RetentionPolicy::agents);

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
    /// there. Either way the lock that the caller has on the path to `parent` reaches one block
    /// further, and `session` uses it.
    BlockId insert(KvScopeId scope, std::optional<BlockId> parent, std::span<const TokenId> tokens,
                   BlockId block, SessionId session);

    /// One sequence of `session` uses the path that ends at `tip`; nothing of it can be evicted
    /// until it is unlocked.
    void lock(BlockId tip, SessionId session);

    /// A fork uses it as well: as lock(), for a path that is locked already, by the same session.
    void lock_again(BlockId tip);

    /// The reverse; of equally recent blocks the deepest goes first.
    void unlock(BlockId tip);

    /// Removes the least valuable leaf that is not locked.
    struct Evicted {
        BlockId block;
        BlockKey key;
    };
    std::optional<Evicted> evict();

    /// Removes this block, which must be an unlocked leaf.
    void remove(BlockId block);

    // Of the policy `agents`; with `lru` these three do nothing.

    /// The first hint of new blocks, one after the other on a path: holds until `expiry`, whether
    /// above or below the default.
    void assign(std::span<const BlockId> chain, uint8_t priority, Instant expiry);

    /// A further hint: only raises, to a higher priority or to a later expiry of the same.
    void retain(std::span<const BlockId> chain, uint8_t priority, Instant expiry);

    /// A turn of `session` ended whose path ends at `newest`. What only its older state used is
    /// demoted, provided the new turn extends it: shares at least half of its blocks. Returns how
    /// many blocks were demoted.
    uint32_t supersede(SessionId session, BlockId newest);

    bool contains(BlockId block) const { return stand(block).birth > 0; }
    bool is_leaf(BlockId block) const;
    bool is_open_leaf(BlockId block) const;  // no child, no lock: could go now
    bool is_locked(BlockId block) const { return locks(block) > 0; }
    BlockKey key(BlockId block) const { return stand(block).key; }
    std::optional<BlockId> parent(BlockId block) const;
    KvScopeId scope(BlockId block) const { return run_of(block).scope; }
    uint8_t priority(BlockId block) const { return run_of(block).priority; }
    uint32_t locks(BlockId block) const { return run_of(block).locks; }
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
    static constexpr uint32_t kNoTip = UINT32_MAX;
    enum class RunId : uint32_t {};
    /// Where a block stands.
    struct Stand {
        BlockKey key{};
        uint64_t birth = 0;  // counts insertions; tells a block from its id's next use; 0: not here
        RunId run{};
        uint32_t depth = 0;  // blocks before this one
    };

    /// Blocks that follow each other without a branch, and all that is known of each of them.
    struct Run {
        std::vector<BlockId> blocks;  // root first, at least one
        BlockId parent = kNone;       // kNone: the first block of its scope
        KvScopeId scope{};
        uint32_t depth = 0;     // of the first block
        uint32_t children = 0;  // runs that hang from the last block
        uint32_t locks = 0;
        uint32_t leaf = kNotALeaf;  // its place in leaves_
        uint32_t tip = kNoTip;      // depth of its session's tip, if that is here
        uint64_t last_used = 0;     // when it was unlocked
        SessionId session{};        // the only session that used it; 0: none or several
        uint8_t priority = kPriorityDefault;
        bool shared = false;                // several conversations continue from here or below
        bool superseded = false;            // demoted; the next use restores it
        Instant expiry = Instant::never();  // when the priority lapses
        Instant look_again_at =
            Instant::never();  // its entry in expiries_, never later; never: none

        uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
        uint32_t end() const { return depth + size(); }  // depth of what comes next
        bool shares_fate_with(const Run& next) const;
        void take_fate_of(const Run& other);
    };

    struct Scope {
        std::string salt;
        std::string lora;
        std::optional<BlockKey> root;
        uint32_t refs = 0;  // open sequences and runs
    };

    /// Ascending order is the order of eviction.
    struct Rank {
        uint8_t priority;
        uint64_t last_used;
        uint32_t depth_below_max;  // deeper first
        BlockId block;             // the last one of its run
        friend auto operator<=>(const Rank&, const Rank&) = default;
    };

    Stand& stand(BlockId block) { return stands_[raw(block)]; }
    const Stand& stand(BlockId block) const { return stands_[raw(block)]; }
    Run& run(RunId id) { return runs_[raw(id)]; }
    const Run& run(RunId id) const { return runs_[raw(id)]; }
    Run& run_of(BlockId block) { return run(stand(block).run); }
    const Run& run_of(BlockId block) const { return run(stand(block).run); }
    std::span<const TokenId> tokens(BlockId block) const;
    std::optional<BlockKey> parent_key(BlockId block) const;
    std::vector<BlockId> parents_first() const;

    // Finding.
    static uint64_t hash_of(BlockKey key, BlockId parent);
    BlockId find_below(KvScopeId scope, BlockId here, std::span<const TokenId> wanted) const;
    BlockId find_first(KvScopeId scope, BlockId parent, BlockKey key,
                       std::span<const TokenId> wanted) const;
    BlockId next_in_run(BlockId block) const;                // kNone: it is the last one
    BlockId ancestor(BlockId block, uint32_t blocks) const;  // the end of a path so long
    uint32_t common_blocks(BlockId a, BlockId b) const;

    // Runs.
    RunId new_run(BlockId first, BlockId parent, KvScopeId scope);
    void free_run(RunId id);
    void cut_after(BlockId block);
    void cut_before(BlockId block);
    bool join_above(RunId id);
    void append(RunId id, std::span<const BlockId> blocks);
    void join_path(BlockId tip, uint32_t first_depth);
    template <typename Visit>
    void visit_runs(std::span<const BlockId> chain, Visit&& visit);

    // Using and evicting.
    bool grows_with(const Run& run, SessionId session) const;
    void begin_run(BlockId block, BlockId parent, KvScopeId scope, SessionId session);
    void lock_next(BlockId block, SessionId session);
    void lock_run(RunId id, SessionId session);
    void unlock_run(Run& run);
    void used_by_others(RunId id);
    void set_tip(RunId id, uint32_t depth);
    void move_tip_up(RunId id);
    void shorten_leaf(Run& run);
    void remove_run(RunId id);
    void mark_shared(RunId id);
    Rank rank(const Run& run) const;
    void open_leaf(Run& run);
    void close_leaf(Run& run);
    void put_leaf(size_t at, const Rank& leaf);
    void settle_leaf(size_t at);

    // Retention.
    void assign_run(RunId id, uint8_t priority, Instant expiry);
    void retain_run(RunId id, uint8_t priority, Instant expiry);
    void rank_anew(Run& run, uint8_t priority);
    void look_again(RunId id, Instant at);
    void lapse_hints(Instant now);
    uint32_t demote(SessionId session, BlockId tip, uint32_t kept);

    void check_run(RunId id) const;
    void check_block(BlockId block, RunId id, uint32_t depth) const;
    void check_index(size_t runs) const;

    uint32_t block_tokens_;
    RetentionPolicy retention_;
    uint64_t step_ = 0;
    uint64_t births_ = 0;
    Instant now_;
    uint32_t live_ = 0;
    uint32_t unlocked_ = 0;
    std::vector<Stand> stands_;  // by block id
    Tokens tokens_;              // block_tokens of each block
    std::vector<Run> runs_;      // those without blocks are free
    std::vector<RunId> free_runs_;
    TagTable index_;            // first blocks of runs, by key and parent
    std::vector<Rank> leaves_;  // unlocked runs without children; a heap, the first to go on top
    std::set<std::pair<Instant, RunId>> expiries_;  // when to look at a hint again
    std::unordered_map<SessionId, RunId> tips_;     // where its tip is: the deepest block that only
                                                    // this session used
    std::map<std::pair<std::string, std::string>, KvScopeId> scope_ids_;
    std::unordered_map<KvScopeId, Scope> scopes_;
    uint32_t next_scope_ = 0;
};

}  // namespace brigada
