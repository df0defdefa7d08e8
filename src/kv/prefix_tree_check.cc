// PrefixTree::check: what must hold in the tree after every call, proved from the nodes alone.
#include <algorithm>

#include "base/check.h"
#include "kv/prefix_tree.h"

namespace brigada {

void PrefixTree::check() const {
    std::vector<uint32_t> children(nodes_.size(), 0);
    std::unordered_map<KvScopeId, uint32_t> blocks_of;
    uint32_t live = 0;
    uint32_t unlocked = 0;
    uint32_t open = 0;
    uint32_t queued = 0;
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
        const Node& here = nodes_[i];
        if (!here.live) continue;
        check_node(BlockId{i});
        const Place& stands = places_[i];
        if (stands.parent != kNone) ++children[raw(stands.parent)];
        ++blocks_of[stands.scope];
        ++live;
        if (here.locks == 0) ++unlocked;
        if (is_open_leaf(BlockId{i})) ++open;
        if (stands.look_again_at != Instant::never()) ++queued;
    }
    for (uint32_t i = 0; i < nodes_.size(); ++i)
        CHECK(nodes_[i].children == children[i], "block ", i, ": children");
    CHECK(live == live_ && unlocked == unlocked_, live, " live, ", unlocked, " unlocked");
    CHECK(leaves_.size() == open && expiries_.size() == queued);
    for (size_t at = 1; at < leaves_.size(); ++at)
        CHECK(leaves_[(at - 1) / 2] < leaves_[at], "the heap of leaves is out of order");
    CHECK(parents_first().size() == live, "a block is not reached from a leaf");
    for (const auto& [scope, blocks] : blocks_of)
        CHECK(scopes_.at(scope).refs >= blocks);
    CHECK(scope_ids_.size() == scopes_.size());
    for (const auto& [session, tip] : tips_)
        CHECK(node(tip).live && node(tip).session == session, "session ", raw(session));
    check_index();
}

void PrefixTree::check_node(BlockId block) const {
    const Node& here = node(block);
    const Place& stands = place(block);
    const auto number = raw(block);
    CHECK(scopes_.contains(stands.scope), "block ", number, ": scope");
    CHECK(stands.key == chain_key(parent_key(block), local_hash(tokens(block))), "block ", number);
    if (stands.parent == kNone) {
        CHECK(stands.depth == 0);
    } else {
        const Node& above = node(stands.parent);
        const Place& stands_above = place(stands.parent);
        CHECK(above.live && stands_above.scope == stands.scope);
        CHECK(stands_above.depth + 1 == stands.depth);
        CHECK(above.locks >= here.locks, "block ", number, " is locked more than its parent");
        CHECK(above.locks > 0 || above.last_used >= here.last_used, "block ", number,
              " is more recent than its parent");
        CHECK(above.session == here.session || above.session == SessionId{}, "block ", number);
        CHECK(above.shared || !here.shared);
    }
    if (is_open_leaf(block))
        CHECK(leaves_.at(stands.leaf) == rank(block), "block ", number);
    else
        CHECK(stands.leaf == kNotALeaf, "block ", number);
    CHECK(stands.look_again_at <= stands.expiry, "block ", number, " would keep its hint too long");
    if (stands.look_again_at != Instant::never())
        CHECK(expiries_.contains({stands.look_again_at, block}), "block ", number);
    CHECK(here.priority <= kPriorityMax);
}

void PrefixTree::check_index() const {
    CHECK(index_.size() == live_);
    index_.for_each([&](uint32_t number) {
        const BlockId block{number};
        CHECK(node(block).live, "block ", number, " is indexed and not there");
        CHECK(find(scope(block), place(block).parent, key(block), tokens(block)) == block);
    });
}

}  // namespace brigada
