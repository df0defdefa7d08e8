// PrefixTree: runs. Cutting and joining change no block's fate, only how it is written down: a run
// ends where a sequence's path ends or where fates part, and is joined again when they are equal.
#include <algorithm>

#include "base/check.h"
#include "kv/prefix_tree.h"

namespace brigada {

bool PrefixTree::Run::shares_fate_with(const Run& next) const {
    const bool as_recent = locks > 0 || last_used == next.last_used;
    return children == 1 && locks == next.locks && as_recent && session == next.session &&
           priority == next.priority && expiry == next.expiry && shared == next.shared &&
           superseded == next.superseded;
}

PrefixTree::RunId PrefixTree::new_run(BlockId first, BlockId parent, KvScopeId scope) {
    if (free_runs_.empty()) {
        free_runs_.push_back(RunId{static_cast<uint32_t>(runs_.size())});
        runs_.emplace_back();
    }
    const RunId id = free_runs_.back();
    free_runs_.pop_back();
    Run& added = run(id);
    added.parent = parent;
    added.scope = scope;
    added.depth = parent == kNone ? 0 : stand(parent).depth + 1;
    append(id, std::span(&first, 1));
    index_.add(hash_of(key(first), parent), raw(first));
    add_scope_ref(scope);
    return id;
}

void PrefixTree::free_run(RunId id) {
    Run& gone = run(id);
    look_again(id, Instant::never());
    index_.remove(hash_of(key(gone.blocks.front()), gone.parent), raw(gone.blocks.front()));
    close_scope(gone.scope);
    gone = Run{};
    free_runs_.push_back(id);
}

void PrefixTree::append(RunId id, std::span<const BlockId> blocks) {
    Run& longer = run(id);
    for (const BlockId block : blocks) {
        stand(block).run = id;
        stand(block).depth = longer.end();
        longer.blocks.push_back(block);
    }
}

/// `block` becomes the last of its run.
void PrefixTree::cut_after(BlockId block) {
    const BlockId next = next_in_run(block);
    if (next == kNone) return;
    const RunId lower = new_run(next, block, scope(block));
    Run& upper_run = run_of(block);
    Run& lower_run = run(lower);
    const auto rest = std::span(upper_run.blocks).subspan(lower_run.depth + 1 - upper_run.depth);
    append(lower, rest);
    upper_run.blocks.resize(lower_run.depth - upper_run.depth);
    lower_run.take_fate_of(upper_run);
    upper_run.children = 1;
    upper_run.leaf = kNotALeaf;
    if (upper_run.look_again_at != Instant::never()) look_again(lower, upper_run.look_again_at);
    if (upper_run.tip != kNoTip && upper_run.tip >= lower_run.depth) set_tip(lower, upper_run.tip);
}

/// All but the blocks and where they stand.
void PrefixTree::Run::take_fate_of(const Run& other) {
    children = other.children;
    locks = other.locks;
    leaf = other.leaf;
    last_used = other.last_used;
    session = other.session;
    priority = other.priority;
    shared = other.shared;
    superseded = other.superseded;
    expiry = other.expiry;
}

/// `block` becomes the first of its run.
void PrefixTree::cut_before(BlockId block) {
    if (stand(block).depth > run_of(block).depth) cut_after(*parent(block));
}

/// Appends the run to the one before it, if nothing sets their blocks apart.
bool PrefixTree::join_above(RunId id) {
    const BlockId parent = run(id).parent;
    if (parent == kNone) return false;
    Run& upper = run_of(parent);
    Run& lower = run(id);
    if (!upper.shares_fate_with(lower)) return false;
    upper.children = lower.children;
    upper.leaf = lower.leaf;
    const std::vector<BlockId> blocks = lower.blocks;
    if (lower.tip != kNoTip) set_tip(stand(parent).run, lower.tip);
    free_run(id);
    append(stand(parent).run, blocks);
    return true;
}

/// Joins what can be joined of the path to `tip`, from `first_depth` on.
void PrefixTree::join_path(BlockId tip, uint32_t first_depth) {
    for (BlockId block = tip; block != kNone && stand(block).depth >= first_depth;)
        if (!join_above(stand(block).run)) block = run_of(block).parent;
}

}  // namespace brigada
