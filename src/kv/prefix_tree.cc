// PrefixTree: scopes, finding, adding and using.
#include "kv/prefix_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace brigada {

PrefixTree::PrefixTree(uint32_t blocks, uint32_t block_tokens, RetentionPolicy retention)
    : block_tokens_(block_tokens),
      retention_(retention),
      stands_(blocks),
      tokens_(size_t{blocks} * block_tokens) {}

void PrefixTree::begin_step(Instant now) {
    ++step_;
    now_ = now;
    lapse_hints(now);
}

// --- scopes -------------------------------------------------------------------------------------

KvScopeId PrefixTree::open_scope(const std::string& salt, const std::string& lora) {
    const auto [place, is_new] = scope_ids_.try_emplace({salt, lora});
    if (is_new) {
        while (scopes_.contains(KvScopeId{next_scope_}))
            ++next_scope_;  // after 2^32 scopes
        place->second = KvScopeId{next_scope_++};
        scopes_[place->second] = {salt, lora, scope_key(salt, lora), 0};
    }
    add_scope_ref(place->second);
    return place->second;
}

void PrefixTree::add_scope_ref(KvScopeId scope) {
    ++scopes_.at(scope).refs;
}

void PrefixTree::close_scope(KvScopeId scope) {
    const auto place = scopes_.find(scope);
    CHECK(place != scopes_.end() && place->second.refs > 0);
    if (--place->second.refs > 0) return;
    scope_ids_.erase({place->second.salt, place->second.lora});
    scopes_.erase(place);
}

std::optional<KvScopeId> PrefixTree::find_scope(const std::string& salt,
                                                const std::string& lora) const {
    const auto place = scope_ids_.find({salt, lora});
    if (place == scope_ids_.end()) return std::nullopt;
    return place->second;
}

std::optional<BlockKey> PrefixTree::scope_root(KvScopeId scope) const {
    return scopes_.at(scope).root;
}

// --- finding ------------------------------------------------------------------------------------

std::vector<BlockId> PrefixTree::match(KvScopeId scope, std::span<const TokenId> tokens,
                                       uint32_t max_blocks, KvCursor cursor) const {
    std::vector<BlockId> path(match_on(scope, tokens, max_blocks, cursor));
    BlockId block = cursor.block;
    for (size_t left = path.size(); left > 0;) {
        const Run& here = run_of(block);
        const auto in_path = std::span(here.blocks).first(left - here.depth);
        std::ranges::copy(in_path, path.begin() + here.depth);
        left = here.depth;
        block = here.parent;
    }
    return path;
}

uint32_t PrefixTree::match_on(KvScopeId scope, std::span<const TokenId> tokens, uint32_t max_blocks,
                              KvCursor& cursor) const {
    const auto limit = std::min<size_t>(max_blocks, tokens.size() / block_tokens_);
    const bool stands = cursor.birth > 0 && stand(cursor.block).birth == cursor.birth &&
                        this->scope(cursor.block) == scope;
    if (!stands) cursor = {};
    cursor.blocks = static_cast<uint32_t>(std::min<size_t>(cursor.blocks, limit));
    BlockId here = cursor.blocks > 0 ? ancestor(cursor.block, cursor.blocks) : kNone;
    for (; cursor.blocks < limit; ++cursor.blocks) {
        const auto next = tokens.subspan(size_t{cursor.blocks} * block_tokens_, block_tokens_);
        const BlockId child = find_below(scope, here, next);
        if (child == kNone) break;
        here = child;
    }
    if (here != kNone) {
        cursor.block = here;
        cursor.birth = stand(here).birth;
    }
    return cursor.blocks;
}

// Inside a run there is one block that can follow; only at its end a key has to find which.
BlockId PrefixTree::find_below(KvScopeId scope, BlockId here,
                               std::span<const TokenId> wanted) const {
    if (here != kNone)
        if (const BlockId next = next_in_run(here); next != kNone)
            return std::ranges::equal(tokens(next), wanted) ? next : kNone;
    if (here != kNone && run_of(here).children == 0) return kNone;
    const auto key_here = here == kNone ? scope_root(scope) : std::optional(key(here));
    return find_first(scope, here, chain_key(key_here, local_hash(wanted)), wanted);
}

BlockId PrefixTree::find_first(KvScopeId scope, BlockId parent, BlockKey key,
                               std::span<const TokenId> wanted) const {
    const uint32_t found = index_.find(hash_of(key, parent), [&](uint32_t number) {
        const BlockId candidate{number};
        const Run& here = run_of(candidate);
        return stand(candidate).key == key && here.parent == parent && here.scope == scope &&
               std::ranges::equal(tokens(candidate), wanted);
    });
    return BlockId{found};
}

// The parent's block id joins the key: whoever looks for prompts whose keys share a slot would have
// to know where the engine put them.
uint64_t PrefixTree::hash_of(BlockKey key, BlockId parent) {
    return (raw(key) ^ raw(parent)) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
}

BlockId PrefixTree::next_in_run(BlockId block) const {
    const Run& here = run_of(block);
    const uint32_t next = stand(block).depth + 1 - here.depth;
    return next < here.size() ? here.blocks[next] : kNone;
}

BlockId PrefixTree::ancestor(BlockId block, uint32_t blocks) const {
    while (run_of(block).depth >= blocks)
        block = run_of(block).parent;
    const Run& here = run_of(block);
    return here.blocks[blocks - 1 - here.depth];
}

uint32_t PrefixTree::common_blocks(BlockId a, BlockId b) const {
    while (a != kNone && b != kNone && stand(a).run != stand(b).run) {
        BlockId& lower = run_of(a).depth >= run_of(b).depth ? a : b;
        lower = run_of(lower).parent;
    }
    return a == kNone || b == kNone ? 0 : std::min(stand(a).depth, stand(b).depth) + 1;
}

KvCursor PrefixTree::cursor(BlockId block) const {
    CHECK(contains(block));
    return {block, stand(block).birth, stand(block).depth + 1};
}

uint32_t PrefixTree::unlocked_on_path(const KvCursor& cursor) const {
    uint32_t end = cursor.blocks;
    BlockId block = end > 0 ? cursor.block : kNone;
    while (block != kNone && !is_locked(block)) {
        end = run_of(block).depth;
        block = run_of(block).parent;
    }
    return cursor.blocks - end;
}

std::span<const TokenId> PrefixTree::tokens(BlockId block) const {
    return std::span(tokens_).subspan(size_t{raw(block)} * block_tokens_, block_tokens_);
}

std::optional<BlockId> PrefixTree::parent(BlockId block) const {
    const Run& here = run_of(block);
    const uint32_t place = stand(block).depth - here.depth;
    if (place > 0) return here.blocks[place - 1];
    return here.parent == kNone ? std::nullopt : std::optional(here.parent);
}

std::optional<BlockKey> PrefixTree::parent_key(BlockId block) const {
    const auto above = parent(block);
    return above ? std::optional(key(*above)) : scope_root(scope(block));
}

bool PrefixTree::is_leaf(BlockId block) const {
    const Run& here = run_of(block);
    return here.children == 0 && here.blocks.back() == block;
}

bool PrefixTree::is_open_leaf(BlockId block) const {
    return contains(block) && is_leaf(block) && !is_locked(block);
}

// --- adding and using ---------------------------------------------------------------------------

BlockId PrefixTree::insert(KvScopeId scope, std::optional<BlockId> parent,
                           std::span<const TokenId> block_span, BlockId block, SessionId session) {
    CHECK(block_span.size() == block_tokens_);
    CHECK(!parent || is_locked(*parent));
    const BlockId above = parent.value_or(kNone);
    if (const BlockId there = find_below(scope, above, block_span); there != kNone) {
        lock_next(there, session);
        return there;
    }

    CHECK(!contains(block));
    const auto key_above = parent ? std::optional(key(*parent)) : scope_root(scope);
    stand(block).key = chain_key(key_above, local_hash(block_span));
    stand(block).birth = ++births_;
    std::ranges::copy(block_span, tokens_.begin() + ptrdiff_t{raw(block)} * block_tokens_);
    ++live_;
    if (parent) cut_after(*parent);
    if (parent && grows_with(run_of(*parent), session))
        append(stand(*parent).run, std::span(&block, 1));
    else
        begin_run(block, above, scope, session);
    return block;
}

bool PrefixTree::grows_with(const Run& run, SessionId session) const {
    const bool is_plain = run.priority == kPriorityDefault && !run.shared && !run.superseded &&
                          run.expiry == Instant::never();
    return is_plain && run.children == 0 && run.locks == 1 && run.session == session;
}

void PrefixTree::begin_run(BlockId block, BlockId parent, KvScopeId scope, SessionId session) {
    const RunId id = new_run(block, parent, scope);
    run(id).locks = 1;
    run(id).session = session;
    run(id).last_used = step_;
    if (parent == kNone) return;
    const RunId above = stand(parent).run;
    if (++run(above).children > 1) mark_shared(above);
}

// The caller's lock ends at the block before.
void PrefixTree::lock_next(BlockId block, SessionId session) {
    cut_before(block);
    cut_after(block);
    lock_run(stand(block).run, session);
    join_above(stand(block).run);
}

void PrefixTree::lock(BlockId tip, SessionId session) {
    cut_after(tip);
    for (BlockId block = tip; block != kNone; block = run_of(block).parent)
        lock_run(stand(block).run, session);
}

void PrefixTree::lock_run(RunId id, SessionId session) {
    Run& here = run(id);
    if (here.locks++ == 0) {
        unlocked_ -= here.size();
        if (here.children == 0) close_leaf(here);
    }
    if (here.session != SessionId{} && here.session != session) used_by_others(id);
    if (here.superseded) {
        here.superseded = false;
        here.priority = kPriorityDefault;
    }
    if (here.shared) retain_run(id, kPriorityShared, now_ + kSharedFor);
}

void PrefixTree::lock_again(BlockId tip) {
    CHECK(is_locked(tip));
    cut_after(tip);
    for (BlockId block = tip; block != kNone; block = run_of(block).parent)
        ++run_of(block).locks;
}

void PrefixTree::unlock(BlockId tip) {
    for (BlockId block = tip; block != kNone; block = run_of(block).parent)
        unlock_run(run_of(block));
    join_path(tip, 0);
}

void PrefixTree::unlock_run(Run& run) {
    CHECK(run.locks > 0);
    if (--run.locks > 0) return;
    unlocked_ += run.size();
    run.last_used = step_;
    if (run.children == 0) open_leaf(run);
}

// A run with two continuations is where conversations part, unless one session made both of them.
void PrefixTree::mark_shared(RunId id) {
    if (run(id).session != SessionId{}) return;
    while (!run(id).shared) {
        run(id).shared = true;
        retain_run(id, kPriorityShared, now_ + kSharedFor);
        if (run(id).parent == kNone) return;
        id = stand(run(id).parent).run;
    }
}

/// Not only its one session any more.
void PrefixTree::used_by_others(RunId id) {
    if (run(id).tip != kNoTip) move_tip_up(id);
    run(id).session = SessionId{};
}

// --- tips ---------------------------------------------------------------------------------------

void PrefixTree::set_tip(RunId id, uint32_t depth) {
    const auto [place, is_new] = tips_.try_emplace(run(id).session, id);
    if (!is_new) run(std::exchange(place->second, id)).tip = kNoTip;
    run(id).tip = depth;
}

/// The run is not only its session's any more, or is gone.
void PrefixTree::move_tip_up(RunId id) {
    const SessionId session = run(id).session;
    const BlockId parent = run(id).parent;
    if (parent != kNone && run_of(parent).session == session)
        return set_tip(stand(parent).run, stand(parent).depth);
    run(id).tip = kNoTip;
    tips_.erase(session);
}

// --- the whole tree -----------------------------------------------------------------------------

std::vector<BlockId> PrefixTree::parents_first() const {
    std::vector<BlockId> order;
    std::vector<bool> done(runs_.size(), false);
    for (const Run& leaf : runs_) {
        if (leaf.size() == 0 || leaf.children > 0) continue;
        const auto first = static_cast<ptrdiff_t>(order.size());
        for (BlockId block = leaf.blocks.back(); block != kNone && !done[raw(stand(block).run)];
             block = run_of(block).parent) {
            done[raw(stand(block).run)] = true;
            std::ranges::reverse_copy(run_of(block).blocks, std::back_inserter(order));
        }
        std::reverse(order.begin() + first, order.end());
    }
    return order;
}

}  // namespace brigada
