#include "kv/lower_tiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace brigada {
namespace {

/// One list for each tier, searched from end to end.
class NaiveTiers {
  public:
    explicit NaiveTiers(const LowerTiersConfig& config) : config_(config) {}

    void put(BlockKey key) {
        if (config_.ram_blocks == 0) return put_on_disk(key);
        to_ram_ += has(ram_, key) ? 0 : 1;
        use_in_ram(key);
    }

    void loaded(std::vector<BlockKey> keys) {
        std::ranges::reverse(keys);
        for (const BlockKey key : keys) {
            if (has(disk_, key)) put_on_disk(key);
            if (config_.ram_blocks > 0) use_in_ram(key);
        }
    }

    TierRun find(const std::vector<BlockKey>& keys) const {
        TierRun run;
        bool met_disk = false;
        for (const BlockKey key : keys) {
            if (!has(ram_, key) && !has(disk_, key)) return run;
            met_disk = met_disk || !has(ram_, key);
            run.blocks += 1;
            run.disk_blocks += has(ram_, key) ? 0 : 1;
            run.blocks_before_disk += met_disk ? 0 : 1;
        }
        return run;
    }

    LowerTiersStats stats() const { return {to_ram_, to_disk_, dropped_}; }

  private:
    using List = std::vector<BlockKey>;  // used last at the end

    static bool has(const List& list, BlockKey key) { return std::ranges::count(list, key) > 0; }

    void use_in_ram(BlockKey key) {
        std::erase(ram_, key);
        ram_.push_back(key);
        if (ram_.size() <= config_.ram_blocks) return;
        put_on_disk(ram_.front());
        ram_.erase(ram_.begin());
    }

    void put_on_disk(BlockKey key) {
        if (config_.disk_blocks > 0 && !has(disk_, key)) ++to_disk_;
        std::erase(disk_, key);
        disk_.push_back(key);
        if (disk_.size() <= config_.disk_blocks) return;
        ++dropped_;
        disk_.erase(disk_.begin());
    }

    LowerTiersConfig config_;
    List ram_;
    List disk_;
    uint64_t to_ram_ = 0;
    uint64_t to_disk_ = 0;
    uint64_t dropped_ = 0;
};

std::vector<BlockKey> keys_from(uint64_t first, uint64_t count) {
    std::vector<BlockKey> keys;
    for (uint64_t i = 0; i < count; ++i)
        keys.push_back(BlockKey{first + i});
    return keys;
}

TEST(LowerTiers, hold_what_plain_lists_hold) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const LowerTiersConfig config{rng.below(12), rng.below(20)};
        LowerTiers tiers(config);
        NaiveTiers naive(config);
        for (int i = 0; i < 150; ++i) {
            const auto keys = keys_from(rng.below(30), 1 + rng.below(8));
            if (rng.chance(0.6)) {
                tiers.learn({KvRemoved{keys}});
                for (const BlockKey key : keys)
                    naive.put(key);
            } else if (rng.chance(0.5)) {
                const std::vector<BlockKey> there(keys.begin(),
                                                  keys.begin() + tiers.find(keys).blocks);
                tiers.loaded(there);
                naive.loaded(there);
            }
            const auto asked = keys_from(rng.below(30), 10);
            ASSERT_EQ(tiers.find(asked).blocks, naive.find(asked).blocks);
            ASSERT_EQ(tiers.find(asked).disk_blocks, naive.find(asked).disk_blocks);
            ASSERT_EQ(tiers.find(asked).blocks_before_disk, naive.find(asked).blocks_before_disk);
            ASSERT_EQ(tiers.stats().to_ram, naive.stats().to_ram);
            ASSERT_EQ(tiers.stats().to_disk, naive.stats().to_disk);
            ASSERT_EQ(tiers.stats().dropped, naive.stats().dropped);
            tiers.check();
        }
    }
}

TEST(LowerTiers, write_nothing_that_is_still_there) {
    LowerTiers tiers({.ram_blocks = 4, .disk_blocks = 4});
    tiers.learn({KvRemoved{keys_from(0, 3)}});
    tiers.loaded(keys_from(0, 3));
    tiers.learn({KvRemoved{keys_from(0, 3)}});
    EXPECT_EQ(tiers.stats().to_ram, 3u);
    EXPECT_EQ(tiers.stats().to_disk, 0u);
}

TEST(LowerTiers, know_nothing_of_what_was_only_stored_above) {
    LowerTiers tiers({.ram_blocks = 4, .disk_blocks = 4});
    tiers.learn({KvStored{keys_from(0, 2), std::nullopt, {}}});
    EXPECT_EQ(tiers.find(keys_from(0, 2)).blocks, 0u);
}

}  // namespace
}  // namespace brigada
