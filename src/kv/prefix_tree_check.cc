// PrefixTree::check: what must hold in the tree after every call, proved from the nodes alone.
#include <algorithm>

#include "base/check.h"
#include "kv/prefix_tree.h"

namespace brigada {

void PrefixTree::check() const {
    std::vector<uint32_t> children(runs_.size(), 0);
    std::unordered_map<KvScopeId, uint32_t> runs_of;
    uint32_t live = 0;
    uint32_t unlocked = 0;
    uint32_t open = 0;
    size_t tips = 0;
    uint32_t queued = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < runs_.size(); ++i) {
        const Run& here = runs_[i];
        if (here.size() == 0) continue;
        check_run(RunId{i});
        if (here.parent != kNone) ++children[raw(stand(here.parent).run)];
        ++runs_of[here.scope];
        ++used;
        live += here.size();
        if (here.locks == 0) unlocked += here.size();
        if (here.leaf != kNotALeaf) ++open;
        if (here.tip != kNoTip) ++tips;
        if (here.look_again_at != Instant::never()) ++queued;
    }
    for (uint32_t i = 0; i < runs_.size(); ++i)
        CHECK(runs_[i].children == children[i], "run ", i, ": children");
    CHECK(used + free_runs_.size() == runs_.size());
    CHECK(live == live_ && unlocked == unlocked_, live, " live, ", unlocked, " unlocked");
    CHECK(std::ranges::count_if(stands_, [](const Stand& s) { return s.birth > 0; }) == live);
    CHECK(leaves_.size() == open && expiries_.size() == queued);
    for (size_t at = 1; at < leaves_.size(); ++at)
        CHECK(leaves_[(at - 1) / 2] < leaves_[at], "the heap of leaves is out of order");
    CHECK(parents_first().size() == live, "a block is not reached from a leaf");
    for (const auto& [scope, runs] : runs_of)
        CHECK(scopes_.at(scope).refs >= runs);
    CHECK(scope_ids_.size() == scopes_.size());
    CHECK(tips == tips_.size());
    for (const auto& [session, id] : tips_)
        CHECK(run(id).session == session && run(id).tip != kNoTip, "session ", raw(session));
    check_index(used);
}

void PrefixTree::check_run(RunId id) const {
    const Run& here = run(id);
    const auto number = raw(id);
    CHECK(scopes_.contains(here.scope), "run ", number, ": scope");
    for (uint32_t i = 0; i < here.size(); ++i)
        check_block(here.blocks[i], id, here.depth + i);
    if (here.parent == kNone) {
        CHECK(here.depth == 0);
    } else {
        const Run& above = run_of(here.parent);
        CHECK(above.blocks.back() == here.parent && above.scope == here.scope);
        CHECK(above.end() == here.depth);
        CHECK(above.locks >= here.locks, "run ", number, " is locked more than the one before");
        CHECK(above.locks > 0 || above.last_used >= here.last_used, "run ", number,
              " is more recent than the one before");
        CHECK(above.session == here.session || above.session == SessionId{}, "run ", number);
        CHECK(above.shared || !here.shared);
    }
    if (here.children == 0 && here.locks == 0)
        CHECK(leaves_.at(here.leaf) == rank(here), "run ", number);
    else
        CHECK(here.leaf == kNotALeaf, "run ", number);
    CHECK(here.look_again_at <= here.expiry, "run ", number, " would keep its hint too long");
    if (here.look_again_at != Instant::never())
        CHECK(expiries_.contains({here.look_again_at, id}), "run ", number);
    CHECK(here.tip == kNoTip || (here.tip >= here.depth && here.tip < here.end()));
    CHECK(here.priority <= kPriorityMax);
}

void PrefixTree::check_block(BlockId block, RunId id, uint32_t depth) const {
    CHECK(contains(block) && stand(block).run == id && stand(block).depth == depth, "block ",
          raw(block));
    CHECK(key(block) == chain_key(parent_key(block), local_hash(tokens(block))), "block ",
          raw(block));
}

void PrefixTree::check_index(size_t runs) const {
    CHECK(index_.size() == runs);
    index_.for_each([&](uint32_t number) {
        const BlockId block{number};
        CHECK(contains(block) && run_of(block).blocks.front() == block, "block ", number,
              " is indexed and begins no run");
        CHECK(find_first(scope(block), run_of(block).parent, key(block), tokens(block)) == block);
    });
}

}  // namespace brigada
