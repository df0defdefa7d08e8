#include "route/held_blocks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"

namespace brigada {

HeldBlocks::HeldBlocks(uint32_t capacity, BlockHolders& holders)
    : holders_(holders), holder_(holders.add_holder()), capacity_(capacity), limit_(capacity) {}

HeldBlocks::~HeldBlocks() {
    clear();
    holders_.remove_holder(holder_);
}

size_t HeldBlocks::bytes() const {
    return runs_.size() * sizeof(Run) * 65 / 64;  // a pointer for each piece of 512 bytes
}

uint32_t HeldBlocks::match(std::span<const BlockKey> keys) const {
    return holders_.reach(holder_, Spot{}, keys).blocks;
}

// --- adding and using ---------------------------------------------------------------------------

void HeldBlocks::insert(std::span<const BlockKey> keys) {
    append(Spot{}, keys);
}

void HeldBlocks::extend(std::optional<BlockKey> parent, std::span<const BlockKey> keys) {
    Spot from;
    if (parent) {
        const auto place = holders_.find(*parent, holder_);
        if (!place) return;
        from = {place->branch, place->blocks + 1};
    }
    append(from, keys);
}

void HeldBlocks::append(Spot from, std::span<const BlockKey> keys) {
    const BlockHolders::Reach held = holders_.reach(holder_, from, keys);
    const uint32_t tip = run_before(held.spot);
    const auto missing = keys.subspan(held.blocks);
    use(tip);
    make_room(missing.size(), tip);
    const auto fitting = missing.first(std::min<size_t>(missing.size(), limit_ - blocks_));
    if (!fitting.empty()) set_aside_after(tip);
    add(tip, fitting);
}

/// What the branch of `tip` goes on with becomes a branch of its own, where nobody else knows it,
/// so that this one can go on with what is used now: a session whose prompts change near their end
/// stays a path of few branches.
void HeldBlocks::set_aside_after(uint32_t tip) {
    if (tip == kNone) return;
    const Spot spot = runs_[tip].end;
    const BlockHolders::Share share = holders_.share(spot.branch, holder_);
    const uint32_t rest = share.run;
    if (rest == tip || runs_[rest].parent != tip || runs_[rest].children > 0) return;
    if (share.blocks - spot.blocks > spot.blocks) return;  // not near its end: too much to copy
    const uint32_t branch = holders_.split(holder_, spot);
    if (branch == kNone) return;
    runs_[rest].end = {branch, share.blocks - spot.blocks};
    holders_.set_share(branch, {holder_, rest, share.blocks - spot.blocks});
    holders_.set_share(spot.branch, {holder_, tip, spot.blocks});
}

/// The run that ends at a spot of what is held.
uint32_t HeldBlocks::run_before(Spot spot) {
    uint32_t run = holders_.share(spot.branch, holder_).run;
    while (run != kNone && first_block(run) >= spot.blocks)
        run = runs_[run].parent;
    return run == kNone || runs_[run].end == spot ? run : cut(run, spot.blocks);
}

/// What lies before so many blocks of the branch becomes a run of its own.
uint32_t HeldBlocks::cut(uint32_t run, uint32_t blocks) {
    const uint32_t upper = new_run(
        {.end = {runs_[run].end.branch, blocks}, .parent = runs_[run].parent, .children = 1});
    runs_[run].parent = upper;
    put_before(runs_[run].newer, upper);
    return upper;
}

/// The path to `tip` is what was used last, its end before its beginning.
void HeldBlocks::use(uint32_t tip) {
    for (uint32_t run = tip; run != kNone; run = runs_[run].parent) {
        while (continues(runs_[run].parent, run) && runs_[runs_[run].parent].children == 1)
            join_above(run);  // from now on they were used together
        unlink(run);
        put_before(kNone, run);
    }
}

/// Takes its parent's blocks.
void HeldBlocks::join_above(uint32_t run) {
    const uint32_t above = runs_[run].parent;
    runs_[run].parent = runs_[above].parent;
    unlink(above);
    free_run(above);
}

// The path to what is spared is newer than it.
void HeldBlocks::make_room(size_t blocks, uint32_t spared) {
    while (blocks_ + blocks > limit_ && oldest_ != spared)
        shorten(oldest_,
                static_cast<uint32_t>(std::min<size_t>(blocks_ + blocks - limit_, size(oldest_))));
}

void HeldBlocks::add(uint32_t tip, std::span<const BlockKey> keys) {
    while (!keys.empty()) {
        const Spot from = tip == kNone ? Spot{} : runs_[tip].end;
        const Spot to = holders_.lead(holder_, from, keys);
        const uint32_t added = to.branch == from.branch ? to.blocks - from.blocks : to.blocks;
        tip = go_on(tip, to);
        holders_.set_share(to.branch, {holder_, tip, to.blocks});
        blocks_ += added;
        keys = keys.subspan(added);
    }
}

/// The run that goes on from `tip` to the end of what was just used.
uint32_t HeldBlocks::go_on(uint32_t tip, Spot to) {
    if (tip != kNone && runs_[tip].end.branch == to.branch && runs_[tip].children == 0) {
        runs_[tip].end = to;
        return tip;
    }
    const uint32_t added = new_run({.end = to, .parent = tip});
    put_before(tip, added);
    if (tip != kNone) ++runs_[tip].children;
    return added;
}

// --- removing -----------------------------------------------------------------------------------

void HeldBlocks::set_limit(uint32_t blocks) {
    limit_ = std::min(blocks, capacity_);
    make_room(0, kNone);
}

void HeldBlocks::clear() {
    while (oldest_ != kNone)
        shorten(oldest_, size(oldest_));
}

void HeldBlocks::remove(BlockKey key) {
    const auto place = holders_.find(key, holder_);
    if (!place) return;
    uint32_t run = holders_.share(place->branch, holder_).run;
    while (first_block(run) > place->blocks)
        run = runs_[run].parent;
    if (first_block(run) < place->blocks) cut(run, place->blocks);
    remove_from(run);
}

/// And whatever continues it, which is older.
void HeldBlocks::remove_from(uint32_t top) {
    std::vector<uint32_t> gone = {top};
    uint32_t awaited = runs_[top].children;
    std::vector<bool> goes(awaited > 0 ? runs_.size() : 0);
    if (awaited > 0) goes[top] = true;
    for (uint32_t run = runs_[top].older; awaited > 0; run = runs_[run].older) {
        if (runs_[run].parent == kNone || !goes[runs_[run].parent]) continue;
        goes[run] = true;
        gone.push_back(run);
        awaited += runs_[run].children - 1;
    }
    while (!gone.empty()) {
        shorten(gone.back(), size(gone.back()));
        gone.pop_back();
    }
}

/// So many blocks fewer at the end of a run that nothing continues.
void HeldBlocks::shorten(uint32_t run, uint32_t blocks) {
    const Run& shorter = runs_[run];
    CHECK(shorter.children == 0);
    const Spot end{shorter.end.branch, shorter.end.blocks - blocks};
    blocks_ -= blocks;
    if (end.blocks > first_block(run)) {
        runs_[run].end = end;
        holders_.set_share(end.branch, {holder_, run, end.blocks});
        return;
    }
    const uint32_t parent = shorter.parent;
    holders_.set_share(end.branch, {holder_, parent, end.blocks});
    if (parent != kNone) --runs_[parent].children;
    unlink(run);
    free_run(run);
}

// --- runs ---------------------------------------------------------------------------------------

bool HeldBlocks::continues(uint32_t parent, uint32_t run) const {
    return parent != kNone && runs_[parent].end.branch == runs_[run].end.branch;
}

uint32_t HeldBlocks::first_block(uint32_t run) const {
    const uint32_t parent = runs_[run].parent;
    return continues(parent, run) ? runs_[parent].end.blocks : 0;
}

uint32_t HeldBlocks::new_run(const Run& run) {
    if (free_ == kNone) {
        runs_.push_back(run);
        return static_cast<uint32_t>(runs_.size() - 1);
    }
    const uint32_t added = free_;
    free_ = runs_[added].older;
    runs_[added] = run;
    return added;
}

void HeldBlocks::free_run(uint32_t run) {
    runs_[run] = Run();
    runs_[run].older = std::exchange(free_, run);
}

/// In the order of their last use, just before `newer`; as the newest when that is none.
void HeldBlocks::put_before(uint32_t newer, uint32_t run) {
    const uint32_t older = std::exchange(newer == kNone ? newest_ : runs_[newer].older, run);
    (older == kNone ? oldest_ : runs_[older].newer) = run;
    runs_[run].older = older;
    runs_[run].newer = newer;
}

void HeldBlocks::unlink(uint32_t run) {
    const auto [older, newer] = std::pair(runs_[run].older, runs_[run].newer);
    (older == kNone ? oldest_ : runs_[older].newer) = newer;
    (newer == kNone ? newest_ : runs_[newer].older) = older;
}

// --- proof --------------------------------------------------------------------------------------

void HeldBlocks::check() const {
    CHECK(blocks_ <= limit_ && limit_ <= capacity_);
    size_t used = 0;
    uint32_t held = 0;
    std::vector<uint32_t> children(runs_.size());
    for (uint32_t run = oldest_; run != kNone; run = runs_[run].newer) {
        check_run(run);
        const uint32_t parent = runs_[run].parent;
        CHECK(children[run] == runs_[run].children, "a child is newer than its parent");
        if (parent != kNone) ++children[parent];
        held += size(run);
        CHECK(++used <= runs_.size(), "the list of runs has a loop");
    }
    CHECK(held == blocks_, held, " blocks in runs, ", blocks_, " in all");
    for (uint32_t run = free_; run != kNone; run = runs_[run].older)
        CHECK(++used <= runs_.size(), "the list of free runs has a loop");
    CHECK(used == runs_.size(), "a run is neither in use nor free");
}

void HeldBlocks::check_run(uint32_t run) const {
    const Run& here = runs_[run];
    CHECK(first_block(run) < here.end.blocks, "an empty run");
    CHECK(here.newer == kNone ? newest_ == run : runs_[here.newer].older == run);
    const BlockHolders::Share share = holders_.share(here.end.branch, holder_);
    CHECK(share.blocks >= here.end.blocks);
    CHECK((share.run == run) == (share.blocks == here.end.blocks));
}

}  // namespace brigada
