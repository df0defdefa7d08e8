#include "route/block_holders.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

// A key stands for its block and all before it: where two are equal, so is what precedes them.
uint32_t common_blocks(std::span<const BlockKey> a, std::span<const BlockKey> b) {
    size_t common = 0;
    size_t differs = std::min(a.size(), b.size()) + 1;
    for (size_t look = differs - 1; differs - common > 1; look = common + (differs - common) / 2)
        (a[look - 1] == b[look - 1] ? common : differs) = look;
    return static_cast<uint32_t>(common);
}

/// In ascending order of holder; a share of nothing is none.
void set(std::vector<BlockHolders::Share>& shares, const BlockHolders::Share& share) {
    const auto place =
        std::ranges::lower_bound(shares, share.holder, {}, &BlockHolders::Share::holder);
    const bool is_there = place != shares.end() && place->holder == share.holder;
    if (!is_there)
        shares.insert(place, share);
    else if (share.blocks > 0)
        *place = share;
    else
        shares.erase(place);
}

/// And a pointer for each of the pieces of 512 bytes that it consists of.
template <typename Value>
size_t bytes_of(const std::deque<Value>& values) {
    return values.size() * sizeof(Value) * 65 / 64;
}

}  // namespace

BlockHolders::BlockHolders(uint64_t salt) : salt_(salt), buckets_(16, kNone) {}

uint32_t BlockHolders::add_holder() {
    if (free_holders_.empty()) return holders_++;
    const uint32_t holder = free_holders_.back();
    free_holders_.pop_back();
    return holder;
}

void BlockHolders::remove_holder(uint32_t holder) {
    free_holders_.push_back(holder);
}

size_t BlockHolders::bytes() const {
    size_t bytes = bytes_of(branches_) + buckets_.capacity() * sizeof(uint32_t);
    for (const Branch& branch : branches_)
        bytes += branch.keys.heap_bytes();
    for (const Shares& shares : shares_)
        bytes += sizeof(Shares) + shares.capacity() * sizeof(Share);
    return bytes + (by_block_ ? by_block_->bytes() : 0);
}

// --- walking ------------------------------------------------------------------------------------

std::vector<uint32_t> BlockHolders::match(std::span<const BlockKey> keys,
                                          std::span<const uint32_t> asked) const {
    std::vector<uint32_t> by_holder(holders_);
    uint32_t before = 0;  // blocks of the prompt that lie in earlier branches
    for (Spot spot;;) {
        const Spot next = step(spot, keys.subspan(before + spot.blocks));
        if (next == spot) break;
        if (next.branch != spot.branch) before += spot.blocks;
        spot = next;
        Share only;
        for (const Share& share : shares_of(branches_[spot.branch], only))
            by_holder[share.holder] = before + std::min(share.blocks, spot.blocks);
    }
    std::vector<uint32_t> blocks;
    blocks.reserve(asked.size());
    for (const uint32_t holder : asked)
        blocks.push_back(by_holder[holder]);
    return blocks;
}

BlockHolders::Reach BlockHolders::reach(uint32_t holder, Spot from,
                                        std::span<const BlockKey> keys) const {
    for (Reach reach{.spot = from};;) {
        const Spot next = step(reach.spot, keys.subspan(reach.blocks));
        const uint32_t before = next.branch == reach.spot.branch ? reach.spot.blocks : 0;
        const uint32_t held = std::min(share(next.branch, holder).blocks, next.blocks);
        if (held <= before) return reach;
        reach.spot = {next.branch, held};
        reach.blocks += held - before;
        if (held < next.blocks) return reach;
    }
}

/// Along the keys to where they part with the branch; at its end, or where they part with it, into
/// the branch that they go on in. Nowhere when there is none.
BlockHolders::Spot BlockHolders::step(Spot from, std::span<const BlockKey> keys) const {
    if (keys.empty()) return from;
    const uint32_t further = common_blocks(keys_after(from), keys);
    if (further > 0) return {from.branch, from.blocks + further};
    const uint32_t next = branch_at(from, keys.front());
    if (next == kNone) return from;
    return {next, common_blocks(branches_[next].keys.all(), keys)};
}

std::span<const BlockKey> BlockHolders::keys_after(Spot spot) const {
    if (spot.branch == kNone) return {};
    return branches_[spot.branch].keys.all().subspan(spot.blocks);
}

// --- the table ----------------------------------------------------------------------------------

uint64_t BlockHolders::hash_of(BlockKey key, Spot from) const {
    const uint64_t origin = uint64_t{from.branch} << 32 | from.blocks;
    const uint64_t mixed = (raw(key) ^ salt_) + origin * 0xd1b54a32d192ed03;  // odd, at random
    const auto product =
        static_cast<unsigned __int128>(mixed) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

size_t BlockHolders::bucket_of(BlockKey key, Spot from) const {
    return static_cast<unsigned __int128>(hash_of(key, from)) * buckets_.size() >> 64;
}

uint32_t BlockHolders::branch_at(Spot from, BlockKey key) const {
    uint32_t id = buckets_[bucket_of(key, from)];
    while (id != kNone && (branches_[id].from != from || branches_[id].keys.all()[0] != key))
        id = branches_[id].next;
    return id;
}

uint32_t BlockHolders::add_branch(Spot from, std::span<const BlockKey> keys) {
    if (used_ + 1 > buckets_.size()) grow_buckets();
    if (free_ == kNone) {
        free_ = static_cast<uint32_t>(branches_.size());
        branches_.emplace_back();
    }
    const uint32_t id = free_;
    Branch& added = branches_[id];
    free_ = added.next;
    added.from = from;
    lengthen(id, keys);
    put(id);
    ++used_;
    return id;
}

void BlockHolders::put(uint32_t id) {
    Branch& branch = branches_[id];
    branch.next = std::exchange(buckets_[bucket_of(branch.keys.all()[0], branch.from)], id);
}

void BlockHolders::grow_buckets() {
    buckets_.assign(buckets_.size() + buckets_.size() / 2, kNone);
    for (uint32_t id = 0; id < branches_.size(); ++id)
        if (branches_[id].keys.size() > 0) put(id);
}

void BlockHolders::free_branch(uint32_t id) {
    Branch& gone = branches_[id];
    uint32_t* link = &buckets_[bucket_of(gone.keys.all()[0], gone.from)];
    while (*link != id)
        link = &branches_[*link].next;
    *link = gone.next;
    truncate(id, 0);
    gone.holder = kNone;
    gone.next = std::exchange(free_, id);
    --used_;
}

// --- who holds what -----------------------------------------------------------------------------

BlockHolders::Spot BlockHolders::lead(uint32_t holder, Spot from, std::span<const BlockKey> keys) {
    const Spot there = step(from, keys);
    if (there != from) return there;
    const bool goes_on = from.branch != kNone && branches_[from.branch].holder == holder &&
                         branches_[from.branch].keys.size() == from.blocks;
    const uint32_t branch = goes_on ? from.branch : add_branch(from, keys);
    if (goes_on) lengthen(branch, keys);
    return {branch, branches_[branch].keys.size()};
}

uint32_t BlockHolders::split(uint32_t holder, Spot spot) {
    return branches_[spot.branch].holder == holder ? add_branch(spot, keys_after(spot)) : kNone;
}

BlockHolders::Share BlockHolders::share(uint32_t branch, uint32_t holder) const {
    if (branch == kNone) return {};
    Share only;
    const auto shares = shares_of(branches_[branch], only);
    const auto place = std::ranges::lower_bound(shares, holder, {}, &Share::holder);
    return place != shares.end() && place->holder == holder ? *place : Share{};
}

/// `only` is where the share of a branch with one holder is written down.
std::span<const BlockHolders::Share> BlockHolders::shares_of(const Branch& branch,
                                                             Share& only) const {
    if (branch.holder == kShared) return shares_[branch.run];
    only = {branch.holder, branch.run, branch.keys.size()};
    return {&only, branch.holder == kNone ? 0U : 1U};
}

void BlockHolders::set_share(uint32_t id, const Share& share) {
    Branch& branch = branches_[id];
    uint32_t longest = share.blocks;
    if (branch.holder == kNone || branch.holder == share.holder) {
        branch.holder = share.holder;
        branch.run = share.run;
    } else {
        if (branch.holder != kShared) share_with_others(branch);
        Shares& shares = shares_[branch.run];
        set(shares, share);
        longest = std::ranges::max(shares, {}, &Share::blocks).blocks;
        if (shares.size() == 1) share_no_more(branch);
    }
    if (longest > 0)
        truncate(id, longest);
    else
        free_branch(id);
}

void BlockHolders::share_with_others(Branch& branch) {
    if (free_shares_.empty()) {
        free_shares_.push_back(static_cast<uint32_t>(shares_.size()));
        shares_.emplace_back();
    }
    const uint32_t place = free_shares_.back();
    free_shares_.pop_back();
    shares_[place].push_back({branch.holder, branch.run, branch.keys.size()});
    branch.holder = kShared;
    branch.run = place;
}

void BlockHolders::share_no_more(Branch& branch) {
    Shares& shares = shares_[branch.run];
    free_shares_.push_back(branch.run);
    branch.holder = shares.front().holder;
    branch.run = shares.front().run;
    shares = {};
}

void BlockHolders::lengthen(uint32_t id, std::span<const BlockKey> keys) {
    branches_[id].keys.append(keys);
    if (!by_block_) return;
    for (const BlockKey key : keys)
        by_block_->add(block_hash(key), id);
}

void BlockHolders::truncate(uint32_t id, uint32_t blocks) {
    KeyArray& keys = branches_[id].keys;
    if (by_block_)
        for (const BlockKey key : keys.all().subspan(blocks))
            by_block_->remove(block_hash(key), id);
    keys.truncate(blocks);
}

// --- single blocks ------------------------------------------------------------------------------

// Engines take blocks from the end of a prompt, so they are looked for from there.
std::optional<BlockHolders::Spot> BlockHolders::find(BlockKey key, uint32_t holder) {
    if (!by_block_) list_blocks();
    Spot spot;
    by_block_->find(block_hash(key), [&](uint32_t id) {
        const auto held = branches_[id].keys.all().first(share(id, holder).blocks);
        const auto place = std::ranges::find(held.rbegin(), held.rend(), key);
        if (place == held.rend()) return false;
        spot = {id, static_cast<uint32_t>(held.rend() - place) - 1};
        return true;
    });
    if (spot.branch == kNone) return std::nullopt;
    return spot;
}

void BlockHolders::list_blocks() {
    by_block_.emplace();
    for (uint32_t id = 0; id < branches_.size(); ++id)
        for (const BlockKey key : branches_[id].keys.all())
            by_block_->add(block_hash(key), id);
}

// --- proof --------------------------------------------------------------------------------------

size_t BlockHolders::blocks() const {
    size_t blocks = 0;
    for (const Branch& branch : branches_) {
        Share only;
        for (const Share& share : shares_of(branch, only))
            blocks += share.blocks;
    }
    return blocks;
}

void BlockHolders::check() const {
    size_t used = 0;
    size_t shared = 0;
    size_t keys = 0;
    for (uint32_t id = 0; id < branches_.size(); ++id) {
        const Branch& branch = branches_[id];
        keys += branch.keys.size();
        if (branch.keys.size() == 0) continue;
        check_branch(id);
        ++used;
        if (branch.holder == kShared) ++shared;
    }
    CHECK(used == used_ && shared + free_shares_.size() == shares_.size());
    for (uint32_t id = free_; id != kNone; id = branches_[id].next)
        CHECK(++used <= branches_.size() && branches_[id].holder == kNone);
    CHECK(used == branches_.size(), "a branch is neither in use nor free");
    CHECK(!by_block_ || by_block_->size() == keys);
}

void BlockHolders::check_branch(uint32_t id) const {
    const Branch& branch = branches_[id];
    const Spot from = branch.from;
    const auto keys = branch.keys.all();
    CHECK(branch_at(from, keys[0]) == id, "a branch is not found, or twice");
    if (from.branch != kNone) CHECK(from.blocks > 0, "it could be a branch of its parent's origin");
    CHECK(common_blocks(keys_after(from), keys) == 0, "its parent goes on like it");
    Share only;
    const auto shares = shares_of(branch, only);
    CHECK(shares.size() > (branch.holder == kShared ? 1U : 0U));
    CHECK(std::ranges::is_sorted(shares, std::ranges::less_equal{}, &Share::holder));
    CHECK(std::ranges::max(shares, {}, &Share::blocks).blocks == keys.size());
    for (const Share& here : shares) {
        CHECK(here.blocks > 0);
        if (from.branch != kNone)
            CHECK(share(from.branch, here.holder).blocks >= from.blocks, "what is below is lost");
    }
    if (!by_block_) return;
    for (const BlockKey key : keys) {
        const auto is_here = [&](uint32_t found) { return found == id; };
        CHECK(by_block_->find(block_hash(key), is_here) == id, "a block is not found");
    }
}

}  // namespace brigada
