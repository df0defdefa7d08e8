// KvBooks: which block holds which tokens of which sequence, and what may be reused or evicted. It
// keeps the books, the engine keeps the bytes: nothing here reads or writes KV. A core: no clock,
// no lock, the same calls give the same answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "kv/block_key.h"
#include "kv/block_pool.h"
#include "kv/event_log.h"
#include "kv/ghost_list.h"
#include "kv/prefix_tree.h"
#include "kv/retention.h"

namespace brigada {

struct KvConfig {
    uint32_t blocks = 0;                   // blocks of KV the engine has
    uint32_t block_tokens = kBlockTokens;  // tokens per block
    uint32_t ghost_blocks = 0;             // evicted keys remembered, to tell a re-read; 0: none
    uint32_t event_blocks = 0;  // blocks of undrained events remembered; 0: none recorded
    RetentionPolicy retention = RetentionPolicy::agents;

    /// How many tokens one TokenId stands for: 1 in an engine. A simulator, which only has to know
    /// which runs of tokens are equal, lets an id name a whole run; a divisor of block_tokens.
    uint32_t tokens_per_id = 1;
};

/// Copy all KV of block `from` to block `to`, before anything of the step is computed.
struct BlockCopy {
    BlockId from{};
    BlockId to{};
    friend bool operator==(const BlockCopy&, const BlockCopy&) = default;
};

/// What `begin` found and locked.
struct Hit {
    uint32_t cached_tokens =
        0;  // whole blocks, fewer than the prompt: the last token is recomputed
    uint32_t reread_tokens = 0;  // tokens to compute again that were here and were evicted
};

/// Counters since construction; tokens unless named otherwise.
struct KvStats {
    uint64_t queries = 0;          // prompt tokens of sequences begun
    uint64_t hits = 0;             // of those, found
    uint64_t resumed_queries = 0;  // the same for sequences begun again after preemption
    uint64_t resumed_hits = 0;
    uint64_t reread = 0;            // computed again after eviction
    uint64_t stored_blocks = 0;     // blocks that became matchable
    uint64_t duplicate_blocks = 0;  // computed twice at the same time; the second copy was freed
    uint64_t evicted_blocks = 0;
    uint64_t superseded_blocks = 0;  // demoted because a newer turn left them behind
    uint64_t copied_blocks = 0;      // copies on write
};

/// Where a parameter is called `ids`, id i stands for tokens [i * tokens_per_id, ...); the last one
/// may stand for fewer. Everything else is counted in tokens.
class KvBooks {
  public:
    explicit KvBooks(const KvConfig& config);

    /// A new step: recency is counted in steps, and retention hints lapse by `now`.
    void begin_step(Instant now);

    /// How many tokens `begin` would find cached for this scope. Touches nothing but `cursor`,
    /// which makes the next call for these or longer ids cost only what is new.
    uint32_t lookup(std::span<const TokenId> ids, const KvScope& scope, KvCursor& cursor) const;

    /// Of the blocks that the lookup just made found, those that are evictable until `begin` locks
    /// them.
    uint32_t evictable_in(const KvCursor& cursor) const { return tree_.unlocked_on_path(cursor); }

    /// Opens a sequence: finds the longest cached prefix (whole blocks, at most tokens - 1), locks
    /// it and makes it the start of the table. `resumed`: begun before and preempted; counted
    /// apart. `cursor`: where a lookup of these ids ended, if there was one. `tokens`: that the ids
    /// stand for; 0: all that they can. The id must be new and `ids` not empty.
    Hit begin(SequenceId id, std::span<const TokenId> ids, const KvScope& scope,
              const Retention& retention = {}, bool resumed = false, const KvCursor& cursor = {},
              uint32_t tokens = 0);

    /// Makes the table cover positions [0, tokens), evicting if need be, and makes every block from
    /// the first position not computed yet the sequence's own: a block shared with a fork is
    /// copied, see take_copies(). False, and nothing changed, when free and evictable blocks do not
    /// suffice.
    [[nodiscard]] bool grow(SequenceId id, uint32_t tokens);

    /// The KV of positions [0, upto) is written. `ids` are the sequence's, for at least `upto`
    /// tokens. Full blocks can be matched by others from now on; where the tree already holds the
    /// same block, the table points there and the second copy is freed.
    void computed(SequenceId id, std::span<const TokenId> ids, uint32_t upto);

    /// How many tokens the sequence may compute until a block of it could meet an equal one, or a
    /// branch. UINT32_MAX: where its path ends nobody else is, so none will.
    uint32_t tokens_alone(SequenceId id) const;

    /// The end of what of the sequence is cached: a later sequence that is known to begin with the
    /// same tokens looks on from there.
    KvCursor cursor(SequenceId id) const;

    /// `child` begins as what `parent` has computed, sharing all its blocks.
    void fork(SequenceId parent, SequenceId child);

    /// Closes a sequence, finished or preempted. `keep`: its full blocks stay cached; otherwise
    /// those that it computed itself and nobody else uses are dropped. A partial last block is
    /// always freed. `turn_ended`: with a session id, the older state of the session is superseded.
    void release(SequenceId id, bool keep, bool turn_ended = false);

    /// Forgets everything cached. Sequences must have been released.
    void reset();

    bool contains(SequenceId id) const { return sequences_.contains(id); }

    /// Block i holds positions [i * block_tokens, (i + 1) * block_tokens). Valid until the next
    /// call that is not const.
    std::span<const BlockId> table(SequenceId id) const;

    /// Blocks that `grow(id, tokens)` would take.
    uint32_t blocks_to_grow(SequenceId id, uint32_t tokens) const;

    /// Copies since the last call, to be done in this order before anything is computed.
    std::vector<BlockCopy> take_copies();

    /// Events since the last call; see EventLog.
    std::vector<KvEvent> drain_events();

    /// When the next retention hint lapses, which may change what is evicted first.
    Instant next_lapse() const { return tree_.next_lapse(); }

    uint32_t total_blocks() const { return config_.blocks; }
    uint32_t tokens_per_id() const { return config_.tokens_per_id; }
    uint32_t block_tokens() const { return config_.block_tokens; }
    uint32_t free_blocks() const { return pool_.free_blocks(); }            // hold nothing
    uint32_t evictable_blocks() const { return tree_.evictable_blocks(); }  // cached, nobody's now
    uint32_t available_blocks() const { return free_blocks() + evictable_blocks(); }
    uint32_t held_blocks() const {
        return total_blocks() - available_blocks();
    }  // of open sequences
    uint32_t cached_blocks() const { return tree_.blocks(); }  // matchable, held or not
    uint32_t blocks_for(uint32_t tokens) const;                // rounded up
    const KvStats& stats() const { return stats_; }

    /// Proves the books: free + evictable + held == total, every reference count is what tables and
    /// tree say, every tree path carries the key of its tokens. O(blocks + tables).
    void check() const;

  private:
    struct Sequence {
        std::vector<BlockId> table;
        uint32_t tree_blocks = 0;  // the first so many are in the tree, held by its lock; the
                                   // others are held in the pool
        uint32_t hit_blocks = 0;   // of those, found at begin
        uint32_t computed = 0;     // positions whose KV is written
        KvScopeId scope{};
        SessionId session{};
        Retention retention;
    };

    Sequence& sequence(SequenceId id);
    const Sequence& sequence(SequenceId id) const;
    uint32_t hit_limit(size_t ids) const;
    uint32_t blocks_to_copy(const Sequence& sequence, uint32_t tokens) const;
    uint32_t count_reread(std::span<const TokenId> ids, const Sequence& sequence) const;
    void lock_path(Sequence& sequence, std::vector<BlockId> path);
    void make_room(uint32_t blocks);
    void copy_partial_block(Sequence& sequence);
    void store_block(Sequence& sequence, std::span<const TokenId> ids);
    const RetentionRange* hint_of(const Sequence& sequence, uint32_t index) const;
    void hint_stored(const Sequence& sequence, uint32_t index, bool is_new);
    void hint_hits(const Sequence& sequence);
    void close_table(Sequence& sequence);
    void drop_own_blocks(const Sequence& sequence);
    void check_table(const Sequence& sequence) const;
    void check_references() const;

    KvConfig config_;
    uint32_t block_ids_;  // ids of one block
    BlockPool pool_;
    PrefixTree tree_;
    GhostList ghosts_;
    EventLog events_;
    KvStats stats_;
    Instant now_;
    std::unordered_map<SequenceId, Sequence> sequences_;
    std::vector<BlockCopy> copies_;
    std::vector<BlockKey> evicted_;  // by the last make_room()
};

}  // namespace brigada
