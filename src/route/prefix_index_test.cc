#include "route/prefix_index.h"

#include <gtest/gtest.h>

namespace brigada {
namespace {

constexpr UpstreamId kA{1};
constexpr UpstreamId kB{2};

std::vector<BlockKey> chain(uint64_t seed, size_t blocks) {
    std::vector<BlockKey> keys;
    Rng rng(seed);
    while (keys.size() < blocks)
        keys.push_back(BlockKey{rng.next()});
    return keys;
}

PrefixIndex two_upstreams(uint32_t blocks) {
    PrefixIndex index(Rng(3));
    index.add(kA, blocks);
    index.add(kB, blocks);
    return index;
}

TEST(PrefixIndex, believes_of_each_upstream_what_was_routed_there) {
    PrefixIndex index = two_upstreams(100);
    const auto keys = chain(1, 40);
    index.routed(kA, keys);
    index.routed(kB, std::span(keys).first(15));
    EXPECT_EQ(index.predict(kA, keys).expected_blocks, 40u);
    EXPECT_EQ(index.predict(kB, keys).expected_blocks, 15u);
    index.check();
}

TEST(PrefixIndex, follows_engine_events) {
    PrefixIndex index = two_upstreams(100);
    const auto keys = chain(1, 40);
    const auto all = std::span(keys);
    index.stored(kA, std::nullopt, all.first(10));
    index.stored(kA, keys[9], all.subspan(10, 20));
    index.stored(kA, keys[35], all.last(2));  // its past is unknown
    EXPECT_EQ(index.predict(kA, keys).held_blocks, 30u);
    index.removed(kA, all.subspan(20, 10));
    EXPECT_EQ(index.predict(kA, keys).held_blocks, 20u);
    index.cleared(kA);
    EXPECT_EQ(index.predict(kA, keys).held_blocks, 0u);
    index.stored(UpstreamId{9}, std::nullopt, keys);  // removed meanwhile
    index.check();
}

TEST(PrefixIndex, trusts_an_upstream_that_caches_nothing_less_and_less) {
    PrefixIndex index = two_upstreams(10'000);
    const auto keys = chain(1, 1'000);
    index.routed(kA, keys);
    for (int i = 0; i < 30; ++i) {
        index.reported(kA, index.predict(kA, keys), 0);
        index.routed(kA, keys);
        index.check();
    }
    EXPECT_LT(index.predict(kA, keys).expected_blocks, 20u);
    EXPECT_EQ(index.trust_per_mille(kB), 1'000u) << "others are not to blame";
    for (int i = 0; i < 60; ++i)
        index.reported(kA, {.held_blocks = 900, .expected_blocks = 0}, 900);
    EXPECT_EQ(index.trust_per_mille(kA), 1'000u) << "it works again";
}

TEST(PrefixIndex, finds_out_how_much_an_upstream_really_holds) {
    // 40 conversations in turn at an engine with room for 1,000 blocks that we take to hold 4,000.
    PrefixIndex index = two_upstreams(4'000);
    BlockHolders holders(5);
    HeldBlocks engine(1'000, holders);
    uint64_t late_error = 0;
    for (uint64_t call = 0; call < 600; ++call) {
        const auto keys = chain(call % 40, 60);
        const Prediction prediction = index.predict(kA, keys);
        const uint32_t cached = engine.match(keys);
        engine.insert(keys);
        index.routed(kA, keys);
        index.reported(kA, prediction, cached);
        index.check();
        if (call >= 500 && prediction.expected_blocks > cached + kReportSlackBlocks) ++late_error;
    }
    EXPECT_LE(index.held(kA).blocks(), 2'400u) << "40 conversations of 60 blocks fit in no longer";
    EXPECT_LE(late_error, 10u) << "of 100 calls";
}

TEST(PrefixIndex, does_not_mind_reports_in_larger_blocks) {
    PrefixIndex index = two_upstreams(1'000);
    const auto keys = chain(1, 500);
    index.routed(kA, keys);
    index.reported(kA, index.predict(kA, keys), 492);
    EXPECT_EQ(index.trust_per_mille(kA), 1'000u);
    EXPECT_EQ(index.held(kA).limit(), 1'000u);
}

}  // namespace
}  // namespace brigada
