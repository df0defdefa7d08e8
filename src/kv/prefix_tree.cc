#include "kv/prefix_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace brigada {

PrefixTree::PrefixTree(uint32_t blocks, uint32_t block_tokens)
    : block_tokens_(block_tokens),
      nodes_(blocks),
      places_(blocks),
      tokens_(size_t{blocks} * block_tokens),
      index_(blocks) {}

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
    for (size_t i = path.size(); i > 0; --i, block = place(block).parent)
        path[i - 1] = block;
    return path;
}

uint32_t PrefixTree::match_on(KvScopeId scope, std::span<const TokenId> tokens, uint32_t max_blocks,
                              KvCursor& cursor) const {
    const auto limit = std::min<size_t>(max_blocks, tokens.size() / block_tokens_);
    const bool stands = cursor.birth > 0 && place(cursor.block).birth == cursor.birth &&
                        place(cursor.block).scope == scope;
    if (!stands) cursor = {};
    cursor.blocks = static_cast<uint32_t>(std::min<size_t>(cursor.blocks, limit));
    BlockId here = cursor.blocks > 0 ? ancestor(cursor.block, cursor.blocks) : kNone;
    std::optional<BlockKey> key_here = here == kNone ? scope_root(scope) : key(here);
    for (; cursor.blocks < limit; ++cursor.blocks) {
        const auto next = tokens.subspan(size_t{cursor.blocks} * block_tokens_, block_tokens_);
        key_here = chain_key(key_here, local_hash(next));
        const BlockId child = find(scope, here, *key_here, next);
        if (child == kNone) break;
        here = child;
    }
    if (here != kNone) {
        cursor.block = here;
        cursor.birth = place(here).birth;
    }
    return cursor.blocks;
}

BlockId PrefixTree::ancestor(BlockId block, uint32_t blocks) const {
    while (place(block).depth >= blocks)
        block = place(block).parent;
    return block;
}

KvCursor PrefixTree::cursor(BlockId block) const {
    const Place& here = place(block);
    CHECK(node(block).live);
    return {block, here.birth, here.depth + 1};
}

uint32_t PrefixTree::unlocked_on_path(const KvCursor& cursor) const {
    uint32_t unlocked = 0;
    BlockId block = cursor.blocks > 0 ? cursor.block : kNone;
    for (; block != kNone && !is_locked(block); block = place(block).parent)
        ++unlocked;
    return unlocked;
}

BlockId PrefixTree::find(KvScopeId scope, BlockId parent, BlockKey key,
                         std::span<const TokenId> wanted) const {
    const uint32_t found = index_.find(hash_of(key, parent), [&](uint32_t number) {
        const Place& candidate = places_[number];
        return candidate.key == key && candidate.parent == parent && candidate.scope == scope &&
               std::ranges::equal(tokens(BlockId{number}), wanted);
    });
    return BlockId{found};
}

// The parent's block id joins the key: whoever looks for prompts whose keys share a slot would have
// to know where the engine put them.
uint64_t PrefixTree::hash_of(BlockKey key, BlockId parent) {
    return (raw(key) ^ raw(parent)) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
}

std::span<const TokenId> PrefixTree::tokens(BlockId block) const {
    return std::span(tokens_).subspan(size_t{raw(block)} * block_tokens_, block_tokens_);
}

std::optional<BlockKey> PrefixTree::parent_key(BlockId block) const {
    const Place& here = place(block);
    return here.parent == kNone ? scope_root(here.scope) : std::optional(key(here.parent));
}

std::optional<BlockId> PrefixTree::parent(BlockId block) const {
    const BlockId above = place(block).parent;
    return above == kNone ? std::nullopt : std::optional(above);
}

bool PrefixTree::is_open_leaf(BlockId block) const {
    const Node& here = node(block);
    return here.live && here.locks == 0 && here.children == 0;
}

// --- adding and using ---------------------------------------------------------------------------

BlockId PrefixTree::insert(KvScopeId scope, std::optional<BlockId> parent,
                           std::span<const TokenId> block_span, BlockId block, SessionId session) {
    CHECK(block_span.size() == block_tokens_);
    CHECK(!parent || is_locked(*parent));
    const BlockId above = parent.value_or(kNone);
    const auto key_above = parent ? std::optional(key(*parent)) : scope_root(scope);
    const BlockKey key = chain_key(key_above, local_hash(block_span));
    if (const BlockId there = find(scope, above, key, block_span); there != kNone) {
        lock_one(there, session);
        return there;
    }

    CHECK(!node(block).live);
    node(block) = Node{.locks = 1, .last_used = step_, .session = session, .live = true};
    Place& added = place(block);
    added = Place{.key = key, .parent = above, .scope = scope};
    added.depth = parent ? place(*parent).depth + 1 : 0;
    added.birth = ++births_;
    index_.add(hash_of(key, above), raw(block));
    std::ranges::copy(block_span, tokens_.begin() + ptrdiff_t{raw(block)} * block_tokens_);
    ++live_;
    add_scope_ref(scope);
    if (parent && ++node(*parent).children > 1) mark_shared(*parent);
    return block;
}

void PrefixTree::lock(std::span<const BlockId> path, SessionId session) {
    for (const BlockId block : path)
        lock_one(block, session);
}

void PrefixTree::lock_one(BlockId block, SessionId session) {
    Node& here = node(block);
    CHECK(here.live);
    if (here.locks++ == 0) {
        --unlocked_;
        if (here.children == 0) close_leaf(block);
    }
    if (here.session != session) used_by(block, session);
    if (here.superseded) {
        here.superseded = false;
        here.priority = kPriorityDefault;
    }
    if (here.shared) retain(block, kPriorityShared, now_ + kSharedFor);
}

void PrefixTree::lock_again(BlockId block) {
    CHECK(node(block).live && node(block).locks > 0);
    ++node(block).locks;
}

void PrefixTree::unlock(std::span<const BlockId> path) {
    for (size_t i = path.size(); i > 0; --i)
        unlock_one(path[i - 1]);
}

void PrefixTree::unlock_one(BlockId block) {
    Node& here = node(block);
    CHECK(here.live && here.locks > 0);
    if (--here.locks > 0) return;
    ++unlocked_;
    here.last_used = step_;
    if (here.children == 0) open_leaf(block);
}

// A block with two continuations is where conversations part, unless one session made both of them.
void PrefixTree::mark_shared(BlockId block) {
    if (node(block).session != SessionId{}) return;
    for (; block != kNone && !node(block).shared; block = place(block).parent) {
        node(block).shared = true;
        retain(block, kPriorityShared, now_ + kSharedFor);
    }
}

void PrefixTree::used_by(BlockId block, SessionId session) {
    const SessionId only = node(block).session;
    if (only == SessionId{} || only == session) return;
    move_tip_up(only, block);
    node(block).session = SessionId{};
}

void PrefixTree::move_tip_up(SessionId session, BlockId block) {
    const auto tip = tips_.find(session);
    if (tip == tips_.end() || tip->second != block) return;
    const BlockId parent = place(block).parent;
    if (parent != kNone && node(parent).session == session)
        tip->second = parent;
    else
        tips_.erase(tip);
}

// --- evicting -----------------------------------------------------------------------------------

std::optional<PrefixTree::Evicted> PrefixTree::evict() {
    if (leaves_.empty()) return std::nullopt;
    const BlockId block = leaves_.front().block;
    const BlockKey evicted_key = key(block);
    remove(block);
    return Evicted{block, evicted_key};
}

void PrefixTree::remove(BlockId block) {
    CHECK(is_open_leaf(block));
    close_leaf(block);
    look_again(block, Instant::never());
    move_tip_up(node(block).session, block);
    index_.remove(hash_of(key(block), place(block).parent), raw(block));
    --unlocked_;
    --live_;
    const BlockId parent = place(block).parent;
    if (parent != kNone && --node(parent).children == 0 && !is_locked(parent)) open_leaf(parent);
    close_scope(place(block).scope);
    node(block) = Node{};
    place(block) = Place{};
}

PrefixTree::Rank PrefixTree::rank(BlockId block) const {
    const Node& here = node(block);
    return {here.priority, here.last_used, UINT32_MAX - place(block).depth, block};
}

void PrefixTree::open_leaf(BlockId block) {
    leaves_.push_back(rank(block));
    settle_leaf(leaves_.size() - 1);
}

void PrefixTree::close_leaf(BlockId block) {
    const uint32_t at = std::exchange(place(block).leaf, kNotALeaf);
    CHECK(at < leaves_.size() && leaves_[at].block == block);
    const Rank last = leaves_.back();
    leaves_.pop_back();
    if (last.block == block) return;
    leaves_[at] = last;
    settle_leaf(at);
}

void PrefixTree::put_leaf(size_t at, const Rank& leaf) {
    leaves_[at] = leaf;
    place(leaf.block).leaf = static_cast<uint32_t>(at);
}

// Moves the leaf up or down the heap to where it belongs.
void PrefixTree::settle_leaf(size_t at) {
    const Rank leaf = leaves_[at];
    for (; at > 0 && leaf < leaves_[(at - 1) / 2]; at = (at - 1) / 2)
        put_leaf(at, leaves_[(at - 1) / 2]);
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < leaves_.size() && leaves_[child + 1] < leaves_[child]) ++child;
        if (child >= leaves_.size() || !(leaves_[child] < leaf)) break;
        put_leaf(at, leaves_[child]);
        at = child;
    }
    put_leaf(at, leaf);
}

// --- retention ----------------------------------------------------------------------------------

void PrefixTree::assign(BlockId block, uint8_t priority, Instant expiry) {
    CHECK(node(block).live && priority <= kPriorityMax);
    place(block).expiry = expiry;
    node(block).superseded = false;
    rank_anew(block, priority);
    if (expiry < place(block).look_again_at) look_again(block, expiry);
}

void PrefixTree::retain(BlockId block, uint8_t priority, Instant expiry) {
    const uint8_t held = node(block).priority;
    const bool raises = priority > held;
    const bool prolongs = priority == held && expiry > place(block).expiry;
    if (raises || prolongs) assign(block, priority, expiry);
}

void PrefixTree::rank_anew(BlockId block, uint8_t priority) {
    const bool leaf = is_open_leaf(block);
    if (leaf) close_leaf(block);
    node(block).priority = priority;
    if (leaf) open_leaf(block);
}

// A hint that is prolonged at every use would be moved at every use; its old entry stays instead,
// and when that comes up we look again.
void PrefixTree::look_again(BlockId block, Instant at) {
    Place& here = place(block);
    if (here.look_again_at != Instant::never()) expiries_.erase({here.look_again_at, block});
    if (at != Instant::never()) expiries_.insert({at, block});
    here.look_again_at = at;
}

void PrefixTree::lapse_hints(Instant now) {
    while (!expiries_.empty() && expiries_.begin()->first <= now) {
        const BlockId block = expiries_.begin()->second;
        if (place(block).expiry > now) {
            look_again(block, place(block).expiry);
            continue;
        }
        look_again(block, Instant::never());
        place(block).expiry = Instant::never();
        rank_anew(block, kPriorityDefault);
    }
}

uint32_t PrefixTree::supersede(SessionId session, std::span<const BlockId> path) {
    if (session == SessionId{} || path.empty()) return 0;
    const BlockId newest = path.back();
    const bool newest_is_own = node(newest).session == session;
    const auto tip = tips_.find(session);
    if (tip == tips_.end()) {
        if (newest_is_own) tips_[session] = newest;
        return 0;
    }

    std::vector<BlockId> left_behind;
    BlockId block = tip->second;
    const auto on_path = [&](BlockId b) {
        return place(b).depth < path.size() && path[place(b).depth] == b;
    };
    while (block != kNone && !on_path(block)) {
        left_behind.push_back(block);
        block = place(block).parent;
    }
    const uint32_t common = block == kNone ? 0 : place(block).depth + 1;
    const uint32_t older = place(tip->second).depth + 1;
    const bool extends = uint64_t{common} * 2 >= older;
    if (newest_is_own && (extends || path.size() > older)) tip->second = newest;
    if (!extends) return 0;

    uint32_t demoted = 0;
    for (const BlockId old : left_behind) {
        Node& here = node(old);
        if (here.session != session) break;  // so are all its ancestors
        if (here.locks > 0 || here.superseded || here.priority != kPriorityDefault) continue;
        here.superseded = true;
        place(old).expiry = Instant::never();
        rank_anew(old, kPrioritySuperseded);
        ++demoted;
    }
    return demoted;
}

// --- the whole tree -----------------------------------------------------------------------------

std::vector<BlockId> PrefixTree::parents_first() const {
    std::vector<BlockId> order;
    std::vector<bool> done(nodes_.size(), false);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
        if (!nodes_[i].live || nodes_[i].children > 0) continue;
        const auto run = static_cast<ptrdiff_t>(order.size());
        for (BlockId block{i}; block != kNone && !done[raw(block)]; block = place(block).parent) {
            order.push_back(block);
            done[raw(block)] = true;
        }
        std::reverse(order.begin() + run, order.end());
    }
    return order;
}

}  // namespace brigada
