#include "route/miss_cause.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace brigada {
namespace {

using Keys = std::vector<BlockKey>;

constexpr ReadAt kHere{ModelId{1}, UpstreamId{1}, 0};

/// `blocks` keys that follow `parent`, as chained as the real ones.
Keys chain(uint64_t seed, size_t blocks, const Keys& parent = {}) {
    Keys keys = parent;
    Rng rng(seed);
    for (size_t i = 0; i < blocks; ++i)
        keys.push_back(BlockKey{rng.next()});
    return keys;
}

PromptMemory memory_of(const Keys& keys) {
    PromptMemory memory;
    memory.remember(marks_of(keys), kHere);
    return memory;
}

TEST(MissCause, is_none_when_the_session_found_its_prefix) {
    const Keys before = chain(1, 500);
    const Keys now = chain(2, 20, before);
    EXPECT_EQ(explain_miss(memory_of(before), marks_of(now), kHere, 500).cause, MissCause::none);
    EXPECT_EQ(explain_miss(memory_of(before), marks_of(now), kHere, 496).cause, MissCause::none)
        << "engines compute the last block anew";
}

TEST(MissCause, names_the_first_call_and_the_other_model) {
    const Keys keys = chain(1, 500);
    EXPECT_EQ(explain_miss({}, marks_of(keys), kHere, 0).cause, MissCause::first_call);
    const ReadAt other{ModelId{2}, UpstreamId{1}, 0};
    EXPECT_EQ(explain_miss(memory_of(keys), marks_of(keys), other, 0).cause,
              MissCause::other_model);
}

TEST(MissCause, tells_eviction_restart_and_another_upstream_apart) {
    const Keys before = chain(1, 500);
    const PromptMemory memory = memory_of(before);
    const Keys now = chain(2, 20, before);
    const Miss evicted = explain_miss(memory, marks_of(now), kHere, 100);
    EXPECT_EQ(evicted.cause, MissCause::evicted);
    EXPECT_EQ(evicted.lost_blocks, 400u);
    EXPECT_EQ(evicted.first_difference, std::nullopt);
    EXPECT_EQ(explain_miss(memory, marks_of(now), {ModelId{1}, UpstreamId{1}, 1}, 0).cause,
              MissCause::restarted);
    EXPECT_EQ(explain_miss(memory, marks_of(now), {ModelId{1}, UpstreamId{2}, 0}, 13).cause,
              MissCause::other_upstream);
}

TEST(MissCause, points_at_the_first_block_that_changed) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        const Keys before = chain(1, 500);
        const auto kept = static_cast<size_t>(seed * 2);
        const Keys now = chain(seed + 7, 500, Keys(before.begin(), before.begin() + int64_t(kept)));
        const Miss miss = explain_miss(memory_of(before), marks_of(now), kHere, uint32_t(kept));
        EXPECT_EQ(miss.cause, MissCause::prompt_changed);
        ASSERT_TRUE(miss.first_difference);
        EXPECT_GE(*miss.first_difference, kept);
        EXPECT_LE(*miss.first_difference, kept + 2) << "a byte a block: late in 1 of 256";
    }
}

TEST(MissCause, names_what_lost_more) {
    const Keys before = chain(1, 500);
    const Keys late_change = chain(2, 20, Keys(before.begin(), before.begin() + 480));
    const Miss miss = explain_miss(memory_of(before), marks_of(late_change), kHere, 0);
    EXPECT_EQ(miss.cause, MissCause::evicted);
    EXPECT_EQ(miss.first_difference, 480u) << "both are told";
}

TEST(PromptMemory, keeps_the_conversation_through_side_calls) {
    PromptMemory memory;
    Keys conversation = chain(1, 500);
    for (uint64_t turn = 0; turn < 20; ++turn) {
        conversation = chain(turn + 100, 10, conversation);
        memory.remember(marks_of(conversation), kHere);
        memory.remember(marks_of(chain(50, 30)),
                        {ModelId{2}, UpstreamId{1}, 0});  // the same, again
        memory.check();
    }
    EXPECT_EQ(
        memory.closest(marks_of(conversation), ModelId{1})->common_blocks(marks_of(conversation)),
        700u);
    EXPECT_EQ(
        memory.closest(marks_of(chain(50, 30)), ModelId{2})->common_blocks(marks_of(chain(50, 30))),
        30u);
    EXPECT_EQ(memory.closest(marks_of(conversation), ModelId{3}), nullptr);
}

TEST(PromptMemory, takes_a_byte_a_block) {
    PromptMemory memory;
    for (uint64_t i = 0; i < 50; ++i)
        memory.remember(marks_of(chain(i, 6'250)), kHere);
    EXPECT_LE(memory.bytes(), 3 * 6'250u + 1'000u);
}

}  // namespace
}  // namespace brigada
