#include "kv/ghost_list.h"

#include <algorithm>
#include <deque>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(GhostList, remembers_what_a_list_of_the_newest_evictions_remembers) {
    for (uint32_t capacity : {0u, 1u, 2u, 5u, 16u}) {
        SCOPED_TRACE(capacity);
        Rng rng(capacity);
        GhostList ghosts(capacity);
        std::deque<BlockKey> newest;
        for (int i = 0; i < 2'000; ++i) {
            const BlockKey key{rng.below(24)};
            ghosts.remember(key);
            newest.push_back(key);
            if (newest.size() > capacity) newest.pop_front();
            for (uint64_t k = 0; k < 24; ++k)
                ASSERT_EQ(ghosts.contains(BlockKey{k}), std::ranges::count(newest, BlockKey{k}) > 0)
                    << k;
            ghosts.check();
            if (i != 1'000) continue;
            ghosts.clear();
            newest.clear();
        }
    }
}

}  // namespace
}  // namespace brigada
