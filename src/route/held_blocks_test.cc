#include "route/held_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

using Keys = std::vector<BlockKey>;

/// Prompts over two tokens, one a block: their keys collide exactly where the prompts agree.
/// `surprise`: how often a token is the rarer one; the fewer, the longer they agree.
Keys random_prompt(Rng& rng, uint64_t longest, double surprise = 0.5) {
    Keys keys;
    uint64_t key = 1;
    for (uint64_t length = 1 + rng.below(longest); keys.size() < length;)
        keys.push_back(BlockKey{key = key * 2 + (rng.chance(surprise) ? 1 : 0)});
    return keys;
}

std::optional<BlockKey> parent_of(BlockKey key) {
    const uint64_t above = raw(key) / 2;
    return above == 1 ? std::nullopt : std::optional(BlockKey{above});
}

/// Every block with the step of its last use; the leaf used longest ago goes first.
struct NaiveBlocks {
    uint32_t limit = 0;
    uint64_t step = 0;
    std::map<BlockKey, uint64_t> blocks = {};

    bool is_leaf(BlockKey key) const {
        return !blocks.contains(BlockKey{raw(key) * 2}) &&
               !blocks.contains(BlockKey{raw(key) * 2 + 1});
    }

    void evict(std::span<const BlockKey> spared) {
        std::optional<BlockKey> oldest;
        for (const auto& [key, used] : blocks) {
            if (!is_leaf(key) || std::ranges::find(spared, key) != spared.end()) continue;
            if (!oldest || used < blocks[*oldest]) oldest = key;
        }
        if (oldest) blocks.erase(*oldest);
    }

    void insert(std::span<const BlockKey> keys) {
        ++step;
        for (size_t i = 0; i < keys.size(); ++i) {
            if (!blocks.contains(keys[i]) && blocks.size() == limit) evict(keys.first(i));
            if (!blocks.contains(keys[i]) && blocks.size() == limit) return;
            blocks[keys[i]] = step;
        }
    }

    void extend(std::optional<BlockKey> parent, std::span<const BlockKey> keys) {
        Keys path;
        for (auto at = parent; at; at = parent_of(*at))
            path.insert(path.begin(), *at);
        for (const BlockKey key : path)
            if (!blocks.contains(key)) return;
        path.insert(path.end(), keys.begin(), keys.end());
        insert(path);
    }

    void remove(BlockKey top) {
        std::erase_if(blocks, [&](auto& block) {
            for (std::optional at = block.first; at; at = parent_of(*at))
                if (at == top) return true;
            return false;
        });
    }

    uint32_t match(std::span<const BlockKey> keys) const {
        const auto missing =
            std::ranges::find_if(keys, [&](BlockKey key) { return !blocks.contains(key); });
        return static_cast<uint32_t>(missing - keys.begin());
    }
};

/// What prompts are like, and how many of their blocks an upstream holds.
struct Kind {
    uint64_t longest;
    double surprise;
    uint32_t capacity;
};
constexpr std::array<Kind, 2> kKinds = {{{12, 0.5, 20}, {60, 0.04, 150}}};

void random_step(Rng& rng, const Kind& kind, HeldBlocks& held, NaiveBlocks& naive) {
    const Keys keys = random_prompt(rng, kind.longest, kind.surprise);
    const size_t split = rng.below(keys.size());
    const auto tail = std::span(keys).subspan(split);
    const auto parent = split > 0 ? std::optional(keys[split - 1]) : std::nullopt;
    switch (rng.below(8)) {
        case 0:
            held.extend(parent, tail);
            naive.extend(parent, tail);
            break;
        case 1:
            held.remove(keys.back());
            naive.remove(keys.back());
            break;
        case 2:
            naive.limit = static_cast<uint32_t>(1 + rng.below(held.capacity()));
            held.set_limit(naive.limit);
            while (naive.blocks.size() > naive.limit)
                naive.evict({});
            break;
        default:
            held.insert(keys);
            naive.insert(keys);
    }
}

TEST(HeldBlocks, holds_what_sorting_all_leaves_by_use_would_hold) {
    for (uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const Kind& kind = kKinds[seed % kKinds.size()];
        BlockHolders holders(rng.next());
        HeldBlocks held(kind.capacity, holders);
        NaiveBlocks naive{.limit = kind.capacity};
        for (int i = 0; i < 200; ++i) {
            random_step(rng, kind, held, naive);
            held.check();
            holders.check();
            ASSERT_EQ(held.blocks(), naive.blocks.size());
            const Keys probe = random_prompt(rng, kind.longest + 2, kind.surprise);
            ASSERT_EQ(held.match(probe), naive.match(probe));
        }
    }
}

TEST(HeldBlocks, of_several_upstreams_are_matched_at_once_as_one_by_one) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const Kind& kind = kKinds[seed % kKinds.size()];
        BlockHolders holders(rng.next());
        std::deque<HeldBlocks> held;
        std::deque<NaiveBlocks> naive;
        const size_t upstreams = 1 + rng.below(seed % 4 < 2 ? 4 : 150);
        for (size_t i = 0; i < upstreams; ++i) {
            held.emplace_back(kind.capacity, holders);
            naive.push_back({.limit = kind.capacity});
        }
        for (int i = 0; i < 600; ++i) {
            const size_t one = rng.below(upstreams);
            random_step(rng, kind, held[one], naive[one]);
            if (rng.chance(0.02)) {
                held[one].clear();
                naive[one].blocks.clear();
            }
            held[one].check();
            holders.check();
            const Keys probe = random_prompt(rng, kind.longest + 2, kind.surprise);
            std::vector<uint32_t> asked;
            std::vector<uint32_t> expected;
            for (uint32_t holder = 0; holder < upstreams; ++holder) {
                ASSERT_EQ(held[holder].match(probe), naive[holder].match(probe));
                if (rng.chance(0.2)) continue;
                asked.push_back(holder);
                expected.push_back(naive[holder].match(probe));
            }
            ASSERT_EQ(holders.match(probe, asked), expected);
        }
    }
}

TEST(HeldBlocks, holds_the_beginning_of_a_prompt_longer_than_itself) {
    BlockHolders holders(7);
    HeldBlocks held(4, holders);
    const Keys keys = {BlockKey{2}, BlockKey{4}, BlockKey{8}, BlockKey{16}, BlockKey{32}};
    held.insert(keys);
    EXPECT_EQ(held.match(keys), 4u);
    held.check();
}

TEST(HeldBlocks, survives_an_engine_that_contradicts_itself) {
    BlockHolders holders(7);
    HeldBlocks held(3, holders);
    const Keys path = {BlockKey{2}, BlockKey{4}};
    held.insert(path);
    const Keys other = {BlockKey{3}};
    held.insert(other);
    held.extend(BlockKey{3}, std::span(path).last(1));  // 4 hangs from 2
    held.check();
    held.extend(BlockKey{4}, path);  // a loop
    held.check();
    held.insert(Keys{BlockKey{5}, BlockKey{5}, BlockKey{10}});
    held.check();
}

TEST(HeldBlocks, holds_nothing_without_room) {
    BlockHolders holders(7);
    HeldBlocks held(0, holders);
    held.insert(Keys{BlockKey{2}});
    held.remove(BlockKey{2});
    EXPECT_EQ(held.match(Keys{BlockKey{2}}), 0u);
    held.check();
}

TEST(HeldBlocks, forgets_the_keys_that_nobody_holds) {
    BlockHolders holders(7);
    const size_t before = holders.bytes();
    {
        HeldBlocks a(100, holders);
        HeldBlocks b(100, holders);
        Rng rng(1);
        for (int i = 0; i < 50; ++i)
            (rng.chance(0.5) ? a : b).insert(random_prompt(rng, 60, 0.04));
        EXPECT_EQ(holders.blocks(), a.blocks() + b.blocks());
    }
    holders.check();
    EXPECT_EQ(holders.blocks(), 0u);
    EXPECT_LE(holders.bytes(), before + 16'384) << "a few empty places";
}

TEST(HeldBlocks, takes_at_most_64_bytes_a_block) {
    for (const uint32_t blocks : {40'000u, 65'535u, 65'536u}) {
        BlockHolders holders(1);
        HeldBlocks held(blocks, holders);
        for (uint64_t i = 0; i < blocks; ++i)  // every block a leaf: the most this can take
            held.insert(Keys{BlockKey{i + 2}});
        EXPECT_EQ(held.blocks(), blocks);
        EXPECT_LE(held.bytes() + holders.bytes(), size_t{blocks} * 64);
    }
}

TEST(HeldBlocks, takes_12_bytes_a_block_of_agents_that_go_on_by_20_blocks) {
    BlockHolders holders(1);
    HeldBlocks held(60'000, holders);
    Rng rng(1);
    for (int session = 0; session < 60; ++session) {
        Keys keys;
        while (keys.size() < 1'000) {
            for (int i = 0; i < 20; ++i)
                keys.push_back(BlockKey{rng.next()});
            held.insert(keys);
        }
    }
    EXPECT_EQ(held.blocks(), 60'000u);
    EXPECT_LE(held.bytes() + holders.bytes(), size_t{60'000} * 12);
}

}  // namespace
}  // namespace brigada
