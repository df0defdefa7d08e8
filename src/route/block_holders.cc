#include "route/block_holders.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/ids.h"

namespace brigada {
namespace {

bool is_empty(std::span<const uint64_t> set) {
    return std::ranges::all_of(set, [](uint64_t word) { return word == 0; });
}

bool contains(std::span<const uint64_t> set, uint32_t holder) {
    return holder / 64 < set.size() && (set[holder / 64] >> holder % 64 & 1) != 0;
}

void insert(std::vector<uint64_t>& set, uint32_t holder) {
    if (set.size() <= holder / 64) set.resize(holder / 64 + 1);
    set[holder / 64] |= uint64_t{1} << holder % 64;
}

void erase(std::vector<uint64_t>& set, uint32_t holder) {
    set[holder / 64] &= ~(uint64_t{1} << holder % 64);
}

template <typename Visit>
void for_each(std::span<const uint64_t> set, Visit&& visit) {
    for (size_t word = 0; word < set.size(); ++word)
        for (uint64_t left = set[word]; left != 0; left &= left - 1)
            visit(static_cast<uint32_t>(word * 64 + std::countr_zero(left)));
}

}  // namespace

BlockHolders::BlockHolders(uint64_t salt) : salt_(salt), table_(16) {}

uint32_t BlockHolders::add_holder(uint32_t blocks) {
    if (free_holders_.empty()) {
        free_holders_.push_back(static_cast<uint32_t>(keys_.size()));
        keys_.emplace_back();
    }
    const uint32_t holder = free_holders_.back();
    free_holders_.pop_back();
    keys_[holder].resize(blocks);
    return holder;
}

void BlockHolders::remove_holder(uint32_t holder) {
    keys_[holder] = {};
    free_holders_.push_back(holder);
}

size_t BlockHolders::bytes() const {
    size_t bytes = table_.capacity() * sizeof(Entry);
    for (const auto& keys : keys_)
        bytes += keys.capacity() * sizeof(BlockKey);
    for (const Shared& shared : shared_)
        bytes += sizeof(Shared) + shared.blocks.capacity() * sizeof(shared.blocks.front()) +
                 shared.holders.capacity() * sizeof(uint64_t);
    return bytes;
}

// --- the table ----------------------------------------------------------------------------------

uint32_t BlockHolders::tag_of(BlockKey key) const {
    const auto product = static_cast<unsigned __int128>(raw(key) ^ salt_) * 0x9e3779b97f4a7c15;
    return static_cast<uint32_t>((product >> 64) ^ product);  // knows all of the key
}

size_t BlockHolders::distance(size_t from, size_t to) const {
    return to >= from ? to - from : to + table_.size() - from;
}

const BlockHolders::Entry* BlockHolders::entry(BlockKey key) const {
    const uint32_t tag = tag_of(key);
    for (size_t at = home(tag); table_[at].holder != kNone; at = next(at))
        if (table_[at].tag == tag && is_of(table_[at], key)) return &table_[at];
    return nullptr;
}

bool BlockHolders::is_of(const Entry& entry, BlockKey key) const {
    return entry.holder == kShared ? shared_[entry.block].key == key
                                   : keys_[entry.holder][entry.block] == key;
}

void BlockHolders::put(const Entry& entry) {
    size_t at = home(entry.tag);
    while (table_[at].holder != kNone)
        at = next(at);
    table_[at] = entry;
}

// Three quarters are full at most; growing by a quarter keeps it near that.
void BlockHolders::grow() {
    std::vector<Entry, HugePages<Entry>> old(table_.size() + table_.size() / 4);
    old.swap(table_);
    for (const Entry& entry : old)
        if (entry.holder != kNone) put(entry);
}

// What follows moves up, so that nobody is looked for beyond a hole.
void BlockHolders::close_hole(size_t hole) {
    for (size_t at = next(hole); table_[at].holder != kNone; at = next(at)) {
        if (distance(home(table_[at].tag), at) < distance(hole, at)) continue;
        table_[hole] = table_[at];
        hole = at;
    }
    table_[hole] = Entry();
    --used_;
}

// --- who holds what -----------------------------------------------------------------------------

uint32_t BlockHolders::find(BlockKey key, uint32_t holder) const {
    const Entry* there = entry(key);
    if (!there) return kNone;
    if (there->holder != kShared) return there->holder == holder ? there->block : kNone;
    const Shared& shared = shared_[there->block];
    const auto place =
        std::ranges::lower_bound(shared.blocks, holder, {}, [](auto& pair) { return pair.first; });
    return place != shared.blocks.end() && place->first == holder ? place->second : kNone;
}

void BlockHolders::add(BlockKey key, uint32_t holder, uint32_t block) {
    keys_[holder][block] = key;
    ++blocks_;
    if (const Entry* there = entry(key)) {
        share(table_[there - table_.data()], key, holder, block);
        return;
    }
    if ((used_ + 1) * 4 > table_.size() * 3) grow();
    put({tag_of(key), holder, block});
    ++used_;
}

void BlockHolders::share(Entry& entry, BlockKey key, uint32_t holder, uint32_t block) {
    if (entry.holder != kShared) {
        if (free_shared_.empty()) {
            free_shared_.push_back(static_cast<uint32_t>(shared_.size()));
            shared_.emplace_back();
        }
        const uint32_t place = free_shared_.back();
        free_shared_.pop_back();
        shared_[place] = {key, {{entry.holder, entry.block}}, {}};
        insert(shared_[place].holders, entry.holder);
        entry = {entry.tag, kShared, place};
    }
    Shared& shared = shared_[entry.block];
    const std::pair added{holder, block};
    shared.blocks.insert(std::ranges::lower_bound(shared.blocks, added), added);
    insert(shared.holders, holder);
}

void BlockHolders::remove(uint32_t holder, uint32_t block) {
    const Entry* there = entry(key(holder, block));
    CHECK(there, "block ", block, " of holder ", holder, " is not in the table");
    const size_t at = there - table_.data();
    --blocks_;
    if (there->holder == kShared)
        unshare(table_[at], holder);
    else
        close_hole(at);
}

// The last but one goes: the other is the key's only holder again.
void BlockHolders::unshare(Entry& entry, uint32_t holder) {
    Shared& shared = shared_[entry.block];
    std::erase_if(shared.blocks, [&](const auto& pair) { return pair.first == holder; });
    erase(shared.holders, holder);
    if (shared.blocks.size() > 1) return;
    const auto [other, block] = shared.blocks.front();
    free_shared_.push_back(entry.block);
    shared = {};
    entry = {entry.tag, other, block};
}

// --- matching -----------------------------------------------------------------------------------

std::vector<uint32_t> BlockHolders::match(std::span<const BlockKey> keys,
                                          std::span<const uint32_t> asked) const {
    HolderSet set((keys_.size() + 63) / 64);
    for (const uint32_t holder : asked)
        insert(set, holder);
    std::vector<uint32_t> by_holder(keys_.size());
    match_between(keys, 0, static_cast<uint32_t>(keys.size()), std::move(set), by_holder);
    std::vector<uint32_t> blocks;
    blocks.reserve(asked.size());
    for (const uint32_t holder : asked)
        blocks.push_back(by_holder[holder]);
    return blocks;
}

// Bisection for all at once: most hold the same beginning and part ways only where they differ.
void BlockHolders::match_between(std::span<const BlockKey> keys, uint32_t least, uint32_t most,
                                 HolderSet asked, std::vector<uint32_t>& blocks) const {
    while (least < most && !is_empty(asked)) {
        const uint32_t middle = least + (most - least + 1) / 2;
        HolderSet longer = holding(keys[middle - 1], asked);
        for (size_t word = 0; word < asked.size(); ++word)
            asked[word] &= ~longer[word];
        match_between(keys, middle, most, std::move(longer), blocks);
        most = middle - 1;
    }
    for_each(asked, [&](uint32_t holder) { blocks[holder] = least; });
}

BlockHolders::HolderSet BlockHolders::holding(BlockKey key, const HolderSet& asked) const {
    HolderSet holding(asked.size());
    const Entry* there = entry(key);
    if (!there) return holding;
    if (there->holder != kShared) {
        if (contains(asked, there->holder)) insert(holding, there->holder);
        return holding;
    }
    const HolderSet& all = shared_[there->block].holders;
    for (size_t word = 0; word < std::min(all.size(), asked.size()); ++word)
        holding[word] = all[word] & asked[word];
    return holding;
}

// --- proof --------------------------------------------------------------------------------------

void BlockHolders::check() const {
    size_t used = 0;
    size_t blocks = 0;
    size_t shared_used = 0;
    for (const Entry& here : table_) {
        if (here.holder == kNone) continue;
        ++used;
        if (here.holder != kShared) {
            ++blocks;
            CHECK(entry(keys_[here.holder].at(here.block)) == &here,
                  "a key is not found, or twice");
            continue;
        }
        ++shared_used;
        const Shared& shared = shared_.at(here.block);
        blocks += shared.blocks.size();
        CHECK(entry(shared.key) == &here, "a shared key is not found, or twice");
        CHECK(shared.blocks.size() > 1 && std::ranges::is_sorted(shared.blocks));
        size_t bits = 0;
        for_each(shared.holders, [&](uint32_t) { ++bits; });
        CHECK(bits == shared.blocks.size());
        for (const auto& [holder, block] : shared.blocks)
            CHECK(contains(shared.holders, holder) && key(holder, block) == shared.key);
    }
    CHECK(used == used_ && blocks == blocks_, used, " places, ", blocks, " blocks");
    CHECK(shared_used + free_shared_.size() == shared_.size());
}

}  // namespace brigada
