#include "kv/block_pool.h"

#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(BlockPool, takes_the_block_freed_last) {
    BlockPool pool(4);
    const BlockId a = pool.take();
    const BlockId b = pool.take();
    EXPECT_EQ(a, BlockId{0});
    EXPECT_EQ(b, BlockId{1});
    EXPECT_TRUE(pool.drop_ref(a));
    EXPECT_TRUE(pool.drop_ref(b));
    EXPECT_EQ(pool.take(), b);
    EXPECT_EQ(pool.take(), a);
}

TEST(BlockPool, counts_as_a_map_of_counts_does) {
    Rng rng(1);
    BlockPool pool(7);
    std::map<BlockId, uint32_t> held;
    for (int i = 0; i < 5'000; ++i) {
        const auto any = [&] { return std::next(held.begin(), int64_t(rng.below(held.size()))); };
        if (held.size() < 7 && rng.chance(0.4)) {
            ASSERT_TRUE(held.emplace(pool.take(), 1).second) << "a held block was handed out";
        } else if (!held.empty() && rng.chance(0.4)) {
            const auto place = any();
            pool.add_ref(place->first);
            ++place->second;
        } else if (!held.empty()) {
            const auto place = any();
            const bool last = --place->second == 0;
            ASSERT_EQ(pool.drop_ref(place->first), last);
            if (last) held.erase(place);
        }
        ASSERT_EQ(pool.free_blocks(), 7 - held.size());
        for (const auto& [block, refs] : held)
            ASSERT_EQ(pool.refs(block), refs);
        pool.check();
    }
}

TEST(BlockPoolDeathTest, refuses_to_free_what_is_free) {
    BlockPool pool(1);
    const BlockId block = pool.take();
    pool.drop_ref(block);
    EXPECT_DEATH(pool.drop_ref(block), "block 0 is free");
    EXPECT_DEATH(pool.add_ref(block), "block 0 is free");
}

}  // namespace
}  // namespace brigada
