#include "kv/ghost_list.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(GhostList, remembers_what_a_list_of_the_newest_evictions_remembers) {
    for (uint32_t capacity : {0u, 1u, 2u, 5u, 16u}) {
        SCOPED_TRACE(capacity);
        Rng rng(capacity);
        GhostList ghosts(capacity);
        std::deque<std::optional<BlockKey>> newest;  // a forgotten key leaves its place empty
        for (int i = 0; i < 2'000; ++i) {
            const BlockKey key{rng.below(24)};
            const auto place = std::ranges::find(newest, std::optional(key));
            if (place != newest.end()) *place = std::nullopt;
            if (rng.chance(0.7)) {
                ghosts.remember(key);
                newest.push_back(key);
                if (newest.size() > capacity) newest.pop_front();
            } else {
                ghosts.forget(key);
            }
            for (uint64_t k = 0; k < 24; ++k) {
                const bool expected = std::ranges::count(newest, std::optional(BlockKey{k})) > 0;
                ASSERT_EQ(ghosts.contains(BlockKey{k}), expected) << k;
            }
            ghosts.check();
        }
    }
}

}  // namespace
}  // namespace brigada
