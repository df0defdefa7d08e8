#include "route/key_array.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace brigada {
namespace {

TEST(KeyArray, has_what_a_vector_has) {
    for (const uint64_t longest : {3u, 20u, 500u}) {
        Rng rng(longest);
        KeyArray keys;
        std::vector<BlockKey> expected;
        for (int i = 0; i < 2'000; ++i) {
            if (rng.chance(0.5)) {
                std::vector<BlockKey> more(rng.below(longest));
                std::ranges::generate(more, [&] { return BlockKey{rng.next()}; });
                keys.append(more);
                expected.insert(expected.end(), more.begin(), more.end());
            } else {
                expected.resize(expected.size() - rng.below(expected.size() + 1));
                keys.truncate(static_cast<uint32_t>(expected.size()));
            }
            ASSERT_TRUE(std::ranges::equal(keys.all(), expected));
            ASSERT_LE(keys.heap_bytes(), expected.size() * sizeof(BlockKey) * 9 / 8);
        }
    }
}

}  // namespace
}  // namespace brigada
