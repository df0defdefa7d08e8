#include "kv/ghost_list.h"

#include <algorithm>
#include <deque>

#include "base/rng.h"

namespace brigada {
namespace {

/// Keys are hashes: both halves say which it is.
BlockKey key_of(uint64_t k) {
    return BlockKey{(k + 1) * 0x9e3779b97f4a7c15};
}

TEST(GhostList, remembers_the_newest_half_of_its_capacity_and_nothing_beyond_it) {
    for (uint32_t capacity : {0u, 1u, 2u, 6u, 16u}) {
        SCOPED_TRACE(capacity);
        Rng rng(capacity);
        GhostList ghosts(capacity);
        std::deque<BlockKey> newest;
        const auto is_among = [&](BlockKey key, size_t last) {
            const auto first = newest.end() - static_cast<ptrdiff_t>(std::min(last, newest.size()));
            return std::find(first, newest.end(), key) != newest.end();
        };
        for (int i = 0; i < 2'000; ++i) {
            std::vector<BlockKey> evicted(1 + rng.below(20));
            for (BlockKey& key : evicted)
                key = key_of(rng.below(24));
            ghosts.remember(evicted);
            newest.insert(newest.end(), evicted.begin(), evicted.end());
            for (uint64_t k = 0; k < 24; ++k) {
                const BlockKey key = key_of(k);
                if (is_among(key, capacity / 2)) ASSERT_TRUE(ghosts.contains(key)) << k;
                if (!is_among(key, capacity + 1)) ASSERT_FALSE(ghosts.contains(key)) << k;
            }
            ghosts.check();
            if (i != 1'000) continue;
            ghosts.clear();
            EXPECT_TRUE(ghosts.empty());
            newest.clear();
        }
    }
}

}  // namespace
}  // namespace brigada
