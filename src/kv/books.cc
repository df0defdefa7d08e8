#include "kv/books.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace brigada {
namespace {

Instant later(Instant now, Duration duration) {
    const bool overflows = duration.ns() > Instant::never().ns() - std::max<int64_t>(now.ns(), 0);
    return overflows ? Instant::never() : now + duration;
}

}  // namespace

KvBooks::KvBooks(const KvConfig& config)
    : config_(config),
      block_ids_(config.block_tokens / config.tokens_per_id),
      pool_(config.blocks),
      tree_(config.blocks, block_ids_, config.retention),
      ghosts_(config.ghost_blocks),
      events_(config.event_blocks) {
    CHECK(config.blocks > 0 && block_ids_ > 0);
    CHECK(config.block_tokens % config.tokens_per_id == 0, config.tokens_per_id,
          " tokens an id do not fill a block of ", config.block_tokens);
}

void KvBooks::begin_step(Instant now) {
    now_ = now;
    tree_.begin_step(now);
}

uint32_t KvBooks::blocks_for(uint32_t tokens) const {
    return tokens / config_.block_tokens + (tokens % config_.block_tokens != 0 ? 1 : 0);
}

// --- opening ------------------------------------------------------------------------------------

uint32_t KvBooks::lookup(std::span<const TokenId> ids, const KvScope& scope,
                         KvCursor& cursor) const {
    const auto scope_id = tree_.find_scope(scope.salt, scope.lora);
    if (!scope_id) {
        cursor = {};
        return 0;
    }
    return tree_.match_on(*scope_id, ids, hit_limit(ids.size()), cursor) * config_.block_tokens;
}

Hit KvBooks::begin(SequenceId id, std::span<const TokenId> ids, const KvScope& scope,
                   const Retention& retention, bool resumed, const KvCursor& cursor,
                   uint32_t tokens) {
    CHECK(!ids.empty() && !contains(id), "sequence ", raw(id));
    Sequence& opened = sequences_[id];
    opened.scope = tree_.open_scope(scope.salt, scope.lora);
    opened.session = scope.session;
    opened.retention = retention;
    lock_path(opened, tree_.match(opened.scope, ids, hit_limit(ids.size()), cursor));

    if (tokens == 0) tokens = static_cast<uint32_t>(ids.size()) * config_.tokens_per_id;
    const size_t full = std::min(tokens / config_.block_tokens, hit_limit(ids.size()));
    const Hit hit{opened.computed, count_reread(ids.first(full * block_ids_), opened)};
    (resumed ? stats_.resumed_queries : stats_.queries) += tokens;
    (resumed ? stats_.resumed_hits : stats_.hits) += hit.cached_tokens;
    stats_.reread += hit.reread_tokens;
    return hit;
}

// The last token is always computed: its logits are what the caller came for.
uint32_t KvBooks::hit_limit(size_t ids) const {
    const size_t blocks = ids == 0 ? 0 : (ids - 1) / block_ids_;
    return static_cast<uint32_t>(std::min<size_t>(blocks, config_.blocks));
}

void KvBooks::lock_path(Sequence& sequence, std::vector<BlockId> path) {
    if (!path.empty()) tree_.lock(path.back(), sequence.session);
    sequence.table = std::move(path);
    sequence.tree_blocks = sequence.hit_blocks = static_cast<uint32_t>(sequence.table.size());
    sequence.computed = sequence.hit_blocks * config_.block_tokens;
    hint_hits(sequence);
}

// Neighbours under one hint are told at once.
void KvBooks::hint_hits(const Sequence& sequence) {
    uint32_t hinted = 0;  // tokens
    for (const RetentionRange& range : sequence.retention.ranges)
        hinted = std::max(hinted, range.last);
    const uint32_t blocks = std::min(sequence.hit_blocks, blocks_for(hinted));
    for (uint32_t first = 0, end = 0; first < blocks; first = end) {
        const RetentionRange* const range = hint_of(sequence, first);
        while (end < blocks && hint_of(sequence, end) == range)
            ++end;
        if (range)
            tree_.retain(std::span(sequence.table).subspan(first, end - first), range->priority,
                         later(now_, range->duration));
    }
}

// The deepest block goes first, so what was evicted of a path follows what is still cached of it.
uint32_t KvBooks::count_reread(std::span<const TokenId> ids, const Sequence& sequence) const {
    if (ghosts_.empty()) return 0;
    auto key = sequence.table.empty() ? tree_.scope_root(sequence.scope)
                                      : std::optional(tree_.key(sequence.table.back()));
    uint32_t evicted = 0;
    for (auto rest = ids.subspan(size_t{sequence.hit_blocks} * block_ids_);
         rest.size() >= block_ids_; rest = rest.subspan(block_ids_)) {
        key = chain_key(key, local_hash(rest.first(block_ids_)));
        if (!ghosts_.contains(*key)) break;
        ++evicted;
    }
    return evicted * config_.block_tokens;
}

// --- growing ------------------------------------------------------------------------------------

bool KvBooks::grow(SequenceId id, uint32_t tokens) {
    Sequence& grown = sequence(id);
    const uint32_t needed = blocks_to_grow(id, tokens);
    if (needed > available_blocks()) return false;
    make_room(needed);
    if (blocks_to_copy(grown, tokens) > 0) copy_partial_block(grown);
    if (grown.table.capacity() < blocks_for(tokens))
        grown.table.reserve(std::max<size_t>(blocks_for(tokens), 2 * grown.table.size()));
    while (grown.table.size() < blocks_for(tokens))
        grown.table.push_back(pool_.take());
    return true;
}

uint32_t KvBooks::blocks_to_grow(SequenceId id, uint32_t tokens) const {
    const Sequence& grown = sequence(id);
    const auto have = static_cast<uint32_t>(grown.table.size());
    const uint32_t want = blocks_for(tokens);
    return (want > have ? want - have : 0) + blocks_to_copy(grown, tokens);
}

// Forks share only what was computed, so at most the block that `computed` lies in is not our own.
uint32_t KvBooks::blocks_to_copy(const Sequence& sequence, uint32_t tokens) const {
    const uint32_t index = sequence.computed / config_.block_tokens;
    const bool writes = tokens > sequence.computed && index < sequence.table.size();
    return writes && pool_.refs(sequence.table[index]) > 1 ? 1 : 0;
}

void KvBooks::copy_partial_block(Sequence& sequence) {
    BlockId& place = sequence.table[sequence.computed / config_.block_tokens];
    const BlockCopy copy{place, pool_.take()};
    pool_.drop_ref(copy.from);
    place = copy.to;
    copies_.push_back(copy);
    ++stats_.copied_blocks;
}

void KvBooks::make_room(uint32_t blocks) {
    evicted_.clear();
    while (free_blocks() < blocks) {
        const auto evicted = tree_.evict();
        CHECK(evicted.has_value(), "no block to evict");
        evicted_.push_back(evicted->key);
        events_.removed(evicted->key);
        pool_.drop_ref(evicted->block);
    }
    ghosts_.remember(evicted_);
    stats_.evicted_blocks += evicted_.size();
}

// --- computing ----------------------------------------------------------------------------------

void KvBooks::computed(SequenceId id, std::span<const TokenId> ids, uint32_t upto) {
    Sequence& advanced = sequence(id);
    CHECK(upto >= advanced.computed && upto <= ids.size() * config_.tokens_per_id, "sequence ",
          raw(id));
    CHECK(blocks_for(upto) <= advanced.table.size(), "sequence ", raw(id), " has not grown");
    while ((advanced.tree_blocks + uint64_t{1}) * config_.block_tokens <= upto)
        store_block(advanced, ids);
    advanced.computed = upto;
}

uint32_t KvBooks::tokens_alone(SequenceId id) const {
    const Sequence& here = sequence(id);
    const auto path = std::span(here.table).first(here.tree_blocks);
    if (!path.empty() && tree_.locks(path.back()) == 1 && tree_.is_leaf(path.back()))
        return UINT32_MAX;
    return (here.tree_blocks + 1) * config_.block_tokens - 1 - here.computed;
}

KvCursor KvBooks::cursor(SequenceId id) const {
    const Sequence& here = sequence(id);
    return here.tree_blocks == 0 ? KvCursor() : tree_.cursor(here.table[here.tree_blocks - 1]);
}

void KvBooks::store_block(Sequence& sequence, std::span<const TokenId> ids) {
    const uint32_t index = sequence.tree_blocks++;
    const auto parent = index > 0 ? std::optional(sequence.table[index - 1]) : std::nullopt;
    const auto block_span = ids.subspan(size_t{index} * block_ids_, block_ids_);
    const BlockId own = sequence.table[index];
    const bool stored_by_fork = tree_.contains(own);
    const BlockId there = tree_.insert(sequence.scope, parent, block_span, own, sequence.session);
    const bool is_new = there == own && !stored_by_fork;
    if (is_new) {
        const BlockKey key = tree_.key(own);
        events_.stored(key, parent ? tree_.key(*parent) : tree_.scope_root(sequence.scope),
                       block_span);
        ++stats_.stored_blocks;
    } else {
        pool_.drop_ref(own);
        sequence.table[index] = there;
        if (there != own) ++stats_.duplicate_blocks;
    }
    hint_stored(sequence, index, is_new);
}

void KvBooks::hint_stored(const Sequence& sequence, uint32_t index, bool is_new) {
    const RetentionRange* const range = hint_of(sequence, index);
    if (!range) return;
    const auto block = std::span(sequence.table).subspan(index, 1);
    const Instant expiry = later(now_, range->duration);
    if (is_new)
        tree_.assign(block, range->priority, expiry);
    else
        tree_.retain(block, range->priority, expiry);
}

/// The hint of highest priority for this block of the table; null: there is none.
const RetentionRange* KvBooks::hint_of(const Sequence& sequence, uint32_t index) const {
    const uint64_t first = uint64_t{index} * config_.block_tokens;
    const uint64_t last = first + config_.block_tokens;
    const RetentionRange* best = nullptr;
    for (const RetentionRange& range : sequence.retention.ranges) {
        const bool touches = range.first < last && range.last > first;
        if (touches && (best == nullptr || range.priority > best->priority)) best = &range;
    }
    return best;
}

void KvBooks::fork(SequenceId parent_id, SequenceId child_id) {
    CHECK(!contains(child_id), "sequence ", raw(child_id));
    Sequence child = sequence(parent_id);
    child.table.resize(blocks_for(child.computed));
    child.hit_blocks = child.tree_blocks;
    if (child.tree_blocks > 0) tree_.lock_again(child.table[child.tree_blocks - 1]);
    for (size_t i = child.tree_blocks; i < child.table.size(); ++i)
        pool_.add_ref(child.table[i]);
    tree_.add_scope_ref(child.scope);
    sequences_.emplace(child_id, std::move(child));
}

// --- closing ------------------------------------------------------------------------------------

void KvBooks::release(SequenceId id, bool keep, bool turn_ended) {
    Sequence& closed = sequence(id);
    if (turn_ended && closed.tree_blocks > 0)
        stats_.superseded_blocks +=
            tree_.supersede(closed.session, closed.table[closed.tree_blocks - 1]);
    close_table(closed);
    if (!keep) drop_own_blocks(closed);
    tree_.close_scope(closed.scope);
    sequences_.erase(id);
}

void KvBooks::close_table(Sequence& sequence) {
    if (sequence.tree_blocks > 0) tree_.unlock(sequence.table[sequence.tree_blocks - 1]);
    for (size_t i = sequence.table.size(); i > sequence.tree_blocks; --i)
        pool_.drop_ref(sequence.table[i - 1]);
}

void KvBooks::drop_own_blocks(const Sequence& sequence) {
    for (uint32_t i = sequence.tree_blocks; i > sequence.hit_blocks; --i) {
        const BlockId block = sequence.table[i - 1];
        if (!tree_.is_open_leaf(block)) return;  // others use it, and so all before it
        events_.removed(tree_.key(block));
        tree_.remove(block);
        pool_.drop_ref(block);
    }
}

void KvBooks::reset() {
    CHECK(sequences_.empty(), sequences_.size(), " sequences are open");
    while (const auto evicted = tree_.evict())
        pool_.drop_ref(evicted->block);
    ghosts_.clear();
    events_.cleared();
}

// --- looking ------------------------------------------------------------------------------------

KvBooks::Sequence& KvBooks::sequence(SequenceId id) {
    const auto place = sequences_.find(id);
    CHECK(place != sequences_.end(), "sequence ", raw(id), " is not open");
    return place->second;
}

const KvBooks::Sequence& KvBooks::sequence(SequenceId id) const {
    const auto place = sequences_.find(id);
    CHECK(place != sequences_.end(), "sequence ", raw(id), " is not open");
    return place->second;
}

std::span<const BlockId> KvBooks::table(SequenceId id) const {
    return sequence(id).table;
}

std::vector<BlockCopy> KvBooks::take_copies() {
    return std::exchange(copies_, {});
}

std::vector<KvEvent> KvBooks::drain_events() {
    const bool behind = events_.overflowed();
    std::vector<KvEvent> events = events_.drain();
    if (!behind) return events;
    EventLog snapshot(config_.blocks);
    tree_.for_each([&](BlockKey key, std::optional<BlockKey> parent,
                       std::span<const TokenId> tokens) { snapshot.stored(key, parent, tokens); });
    std::ranges::move(snapshot.drain(), std::back_inserter(events));
    return events;
}

// --- proving ------------------------------------------------------------------------------------

void KvBooks::check() const {
    pool_.check();
    tree_.check();
    ghosts_.check();
    check_references();
    for (const auto& [id, open] : sequences_)
        check_table(open);
    CHECK(free_blocks() + evictable_blocks() + held_blocks() == total_blocks());
}

void KvBooks::check_references() const {
    std::vector<uint32_t> in_tables(config_.blocks, 0);
    std::vector<uint32_t> as_nodes(config_.blocks, 0);
    for (const auto& [id, open] : sequences_) {
        for (size_t i = 0; i < open.table.size(); ++i)
            ++(i < open.tree_blocks ? as_nodes : in_tables)[raw(open.table[i])];
    }
    uint32_t held = 0;
    for (uint32_t i = 0; i < config_.blocks; ++i) {
        const BlockId block{i};
        const uint32_t by_tree = tree_.contains(block) ? 1 : 0;
        CHECK(pool_.refs(block) == in_tables[i] + by_tree, "block ", i, ": references");
        CHECK(!by_tree || tree_.locks(block) == as_nodes[i], "block ", i, ": locks");
        if (in_tables[i] > 0 || as_nodes[i] > 0) ++held;
    }
    CHECK(held == held_blocks(), held, " blocks are held, not ", held_blocks());
}

void KvBooks::check_table(const Sequence& open) const {
    CHECK(open.hit_blocks <= open.tree_blocks && open.tree_blocks <= open.table.size());
    CHECK(open.tree_blocks == open.computed / config_.block_tokens);
    CHECK(blocks_for(open.computed) <= open.table.size());
    for (uint32_t i = 0; i < open.tree_blocks; ++i) {
        const auto parent = i > 0 ? std::optional(open.table[i - 1]) : std::nullopt;
        CHECK(tree_.parent(open.table[i]) == parent, "block ", raw(open.table[i]), " is misplaced");
        CHECK(tree_.scope(open.table[i]) == open.scope);
    }
}

}  // namespace brigada
