// PrefixTree: retention. What hints do to runs, when they lapse, and what a session's newer turn
// leaves behind.
#include <algorithm>

#include "base/check.h"
#include "kv/prefix_tree.h"

namespace brigada {

// --- hints --------------------------------------------------------------------------------------

void PrefixTree::assign(std::span<const BlockId> chain, uint8_t priority, Instant expiry) {
    visit_runs(chain, [&](RunId id) { assign_run(id, priority, expiry); });
}

void PrefixTree::retain(std::span<const BlockId> chain, uint8_t priority, Instant expiry) {
    visit_runs(chain, [&](RunId id) { retain_run(id, priority, expiry); });
}

/// Calls visit(run) for runs that make up just this part of a path.
template <typename Visit>
void PrefixTree::visit_runs(std::span<const BlockId> chain, Visit&& visit) {
    if (chain.empty()) return;
    cut_before(chain.front());
    cut_after(chain.back());
    const uint32_t first = stand(chain.front()).depth;
    for (BlockId block = chain.back(); block != kNone && stand(block).depth >= first;
         block = run_of(block).parent)
        visit(stand(block).run);
    join_path(chain.back(), first);
}

void PrefixTree::assign_run(RunId id, uint8_t priority, Instant expiry) {
    if (retention_ == RetentionPolicy::lru) return;
    CHECK(priority <= kPriorityMax);
    Run& here = run(id);
    here.expiry = expiry;
    here.superseded = false;
    rank_anew(here, priority);
    if (expiry < here.look_again_at) look_again(id, expiry);
}

void PrefixTree::retain_run(RunId id, uint8_t priority, Instant expiry) {
    const Run& here = run(id);
    const bool raises = priority > here.priority;
    const bool prolongs = priority == here.priority && expiry > here.expiry;
    if (raises || prolongs) assign_run(id, priority, expiry);
}

void PrefixTree::rank_anew(Run& run, uint8_t priority) {
    const bool is_open = run.leaf != kNotALeaf;
    if (is_open) close_leaf(run);
    run.priority = priority;
    if (is_open) open_leaf(run);
}

// A hint that is prolonged at every use would be moved at every use; its old entry stays instead,
// and when that comes up we look again.
void PrefixTree::look_again(RunId id, Instant at) {
    Run& here = run(id);
    if (here.look_again_at != Instant::never()) expiries_.erase({here.look_again_at, id});
    if (at != Instant::never()) expiries_.insert({at, id});
    here.look_again_at = at;
}

void PrefixTree::lapse_hints(Instant now) {
    while (!expiries_.empty() && expiries_.begin()->first <= now) {
        const RunId id = expiries_.begin()->second;
        if (run(id).expiry > now) {
            look_again(id, run(id).expiry);
            continue;
        }
        look_again(id, Instant::never());
        run(id).expiry = Instant::never();
        rank_anew(run(id), kPriorityDefault);
    }
}

// --- turns --------------------------------------------------------------------------------------

uint32_t PrefixTree::supersede(SessionId session, BlockId newest) {
    if (session == SessionId{} || retention_ == RetentionPolicy::lru) return 0;
    const bool newest_is_own = run_of(newest).session == session;
    const auto tip = tips_.find(session);
    if (tip == tips_.end()) {
        if (newest_is_own) set_tip(stand(newest).run, stand(newest).depth);
        return 0;
    }
    const Run& older_run = run(tip->second);
    const BlockId older = older_run.blocks[older_run.tip - older_run.depth];
    const uint32_t common = common_blocks(older, newest);
    const uint32_t older_blocks = stand(older).depth + 1;
    const bool extends = uint64_t{common} * 2 >= older_blocks;
    const bool is_longer = stand(newest).depth + 1 > older_blocks;
    if (newest_is_own && (extends || is_longer)) set_tip(stand(newest).run, stand(newest).depth);
    return extends && common < older_blocks ? demote(session, older, common) : 0;
}

/// The path to `tip` beyond its first `kept` blocks goes first from now on, as far as nobody else
/// used it, nobody uses it and no hint says otherwise.
uint32_t PrefixTree::demote(SessionId session, BlockId tip, uint32_t kept) {
    cut_after(tip);
    if (kept > 0) cut_after(ancestor(tip, kept));
    uint32_t demoted = 0;
    for (BlockId block = tip; block != kNone && stand(block).depth >= kept;
         block = run_of(block).parent) {
        Run& old = run_of(block);
        if (old.session != session) break;  // so are all its ancestors
        if (old.locks > 0 || old.superseded || old.priority != kPriorityDefault) continue;
        old.superseded = true;
        old.expiry = Instant::never();
        rank_anew(old, kPrioritySuperseded);
        demoted += old.size();
    }
    return demoted;
}

}  // namespace brigada
