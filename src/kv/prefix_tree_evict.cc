// PrefixTree: evicting. The open leaves are a heap with the least valuable on top; a run of blocks
// goes from its end, so a long session's blocks go one by one without being looked for.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kv/prefix_tree.h"

namespace brigada {

std::optional<PrefixTree::Evicted> PrefixTree::evict() {
    if (leaves_.empty()) return std::nullopt;
    const BlockId block = leaves_.front().block;
    const BlockKey evicted_key = key(block);
    remove(block);
    return Evicted{block, evicted_key};
}

void PrefixTree::remove(BlockId block) {
    CHECK(is_open_leaf(block));
    const RunId id = stand(block).run;
    --unlocked_;
    --live_;
    if (run(id).size() > 1)
        shorten_leaf(run(id));
    else
        remove_run(id);
    stand(block) = Stand{};
}

void PrefixTree::shorten_leaf(Run& run) {
    run.blocks.pop_back();
    if (run.tip == run.end()) --run.tip;
    const size_t at = run.leaf;
    leaves_[at] = rank(run);
    settle_leaf(at);
}

void PrefixTree::remove_run(RunId id) {
    const BlockId parent = run(id).parent;
    if (run(id).tip != kNoTip) move_tip_up(id);
    close_leaf(run(id));
    free_run(id);
    if (parent == kNone) return;
    Run& above = run_of(parent);
    if (--above.children == 0 && above.locks == 0) open_leaf(above);
}

PrefixTree::Rank PrefixTree::rank(const Run& run) const {
    return {run.priority, run.last_used, UINT32_MAX - (run.end() - 1), run.blocks.back()};
}

void PrefixTree::open_leaf(Run& run) {
    leaves_.push_back(rank(run));
    settle_leaf(leaves_.size() - 1);
}

void PrefixTree::close_leaf(Run& run) {
    const uint32_t at = std::exchange(run.leaf, kNotALeaf);
    CHECK(at < leaves_.size() && leaves_[at].block == run.blocks.back());
    const Rank last = leaves_.back();
    leaves_.pop_back();
    if (last.block == run.blocks.back()) return;
    leaves_[at] = last;
    settle_leaf(at);
}

void PrefixTree::put_leaf(size_t at, const Rank& leaf) {
    leaves_[at] = leaf;
    run_of(leaf.block).leaf = static_cast<uint32_t>(at);
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

}  // namespace brigada
