#include "kv/books.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"

namespace brigada {
namespace {

Tokens numbers(uint32_t first, uint32_t count) {
    Tokens tokens;
    for (uint32_t i = 0; i < count; ++i)
        tokens.push_back(TokenId{first + i});
    return tokens;
}

Tokens joined(Tokens a, const Tokens& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Begins, computes and ends one call, as an engine without other work would.
Hit serve(KvBooks& books, SequenceId id, const Tokens& tokens, const KvScope& scope = {},
          const Retention& retention = {}) {
    const auto size = static_cast<uint32_t>(tokens.size());
    const Hit hit = books.begin(id, tokens, scope, retention);
    CHECK(books.grow(id, size));
    books.computed(id, tokens, size);
    books.release(id, true, true);
    books.check();
    return hit;
}

class Books : public testing::Test {
  protected:
    SequenceId next() { return SequenceId{next_++}; }

    /// A later step: what is used in it is more recent.
    void tick(KvBooks& books, Duration passed = Duration::milliseconds(10)) {
        now_ = now_ + passed;
        books.begin_step(now_);
    }

    uint32_t cached(KvBooks& books, const Tokens& tokens, const KvScope& scope = {}) {
        KvCursor cursor;
        return books.lookup(tokens, scope, cursor);
    }

    uint64_t next_ = 1;
    Instant now_ = Instant::at_ns(1);
};

TEST_F(Books, finds_whole_blocks_and_leaves_the_last_token_to_compute) {
    KvBooks books({.blocks = 16, .block_tokens = 4});
    const Tokens prompt = numbers(0, 12);
    EXPECT_EQ(serve(books, next(), prompt).cached_tokens, 0u);
    EXPECT_EQ(cached(books, prompt), 8u) << "a full hit recomputes the block of the last token";
    EXPECT_EQ(cached(books, joined(prompt, numbers(90, 1))), 12u);
    EXPECT_EQ(cached(books, numbers(0, 11)), 8u);
    EXPECT_EQ(cached(books, numbers(0, 4)), 0u);
    EXPECT_EQ(cached(books, joined(numbers(0, 6), numbers(70, 6))), 4u);
    EXPECT_EQ(cached(books, numbers(1, 12)), 0u);
}

TEST_F(Books, never_share_across_salts_and_loras) {
    KvBooks books({.blocks = 64, .block_tokens = 4});
    const Tokens prompt = numbers(0, 13);
    const KvScope scopes[] = {{}, {"a", "", {}}, {"b", "", {}}, {"", "a", {}}, {"b", "a", {}}};
    for (const KvScope& scope : scopes) {
        EXPECT_EQ(cached(books, prompt, scope), 0u);
        EXPECT_EQ(serve(books, next(), prompt, scope).cached_tokens, 0u);
        EXPECT_EQ(cached(books, prompt, scope), 12u);
    }
    EXPECT_EQ(books.cached_blocks(), 15u);
}

TEST_F(Books, point_to_the_first_copy_of_what_two_computed_at_once) {
    KvBooks books({.blocks = 16, .block_tokens = 4});
    const Tokens prompt = numbers(0, 9);
    const SequenceId a = next();
    const SequenceId b = next();
    for (const SequenceId id : {a, b}) {
        books.begin(id, prompt, {});
        ASSERT_TRUE(books.grow(id, 9));
    }
    EXPECT_EQ(books.free_blocks(), 10u);
    for (const SequenceId id : {a, b})
        books.computed(id, prompt, 9);
    books.check();
    EXPECT_EQ(books.free_blocks(), 12u) << "two duplicates came back";
    EXPECT_EQ(books.stats().duplicate_blocks, 2u);
    EXPECT_EQ(books.table(a)[1], books.table(b)[1]);
    EXPECT_NE(books.table(a)[2], books.table(b)[2]) << "the partial block is each one's own";
}

TEST_F(Books, copy_a_shared_partial_block_before_it_is_written) {
    KvBooks books({.blocks = 16, .block_tokens = 4});
    const Tokens prompt = numbers(0, 6);
    const SequenceId parent = next();
    const SequenceId child = next();
    const SequenceId other = next();
    books.begin(parent, prompt, {});
    ASSERT_TRUE(books.grow(parent, 6));
    books.computed(parent, prompt, 6);
    books.fork(parent, child);
    books.fork(parent, other);
    EXPECT_EQ(books.held_blocks(), 2u);
    EXPECT_EQ(books.blocks_to_grow(child, 7), 1u);

    const BlockId shared = books.table(parent)[1];
    ASSERT_TRUE(books.grow(child, 7));
    ASSERT_TRUE(books.grow(parent, 7));
    ASSERT_TRUE(books.grow(other, 7));
    const std::vector<BlockCopy> expected{{shared, books.table(child)[1]},
                                          {shared, books.table(parent)[1]}};
    EXPECT_EQ(books.take_copies(), expected) << "the last holder keeps the original";
    EXPECT_EQ(books.table(other)[1], shared);
    EXPECT_TRUE(books.take_copies().empty());
    books.check();
}

TEST_F(Books, need_no_copy_when_the_fork_is_at_a_block_border) {
    KvBooks books({.blocks = 16, .block_tokens = 4});
    const Tokens prompt = numbers(0, 8);
    const SequenceId parent = next();
    const SequenceId child = next();
    books.begin(parent, prompt, {});
    ASSERT_TRUE(books.grow(parent, 8));
    books.computed(parent, prompt, 8);
    books.fork(parent, child);
    ASSERT_TRUE(books.grow(parent, 9));
    ASSERT_TRUE(books.grow(child, 9));
    EXPECT_TRUE(books.take_copies().empty());
    EXPECT_NE(books.table(parent)[2], books.table(child)[2]);
    books.check();
}

TEST_F(Books, change_nothing_when_growing_is_impossible) {
    KvBooks books({.blocks = 4, .block_tokens = 4});
    serve(books, next(), numbers(50, 4));
    const SequenceId id = next();
    books.begin(id, numbers(0, 30), {});
    EXPECT_FALSE(books.grow(id, 17));
    EXPECT_EQ(books.evictable_blocks(), 1u);
    EXPECT_EQ(books.stats().evicted_blocks, 0u);
    EXPECT_TRUE(books.table(id).empty());
    EXPECT_TRUE(books.grow(id, 16));
    EXPECT_EQ(books.stats().evicted_blocks, 1u);
    books.check();
}

TEST_F(Books, never_evict_what_a_sequence_holds) {
    KvBooks books({.blocks = 6, .block_tokens = 4});
    const Tokens prompt = numbers(0, 12);
    serve(books, next(), prompt);
    const SequenceId holder = next();
    EXPECT_EQ(books.begin(holder, joined(prompt, numbers(40, 1)), {}).cached_tokens, 12u);
    const SequenceId greedy = next();
    books.begin(greedy, numbers(80, 20), {});
    EXPECT_FALSE(books.grow(greedy, 16)) << "3 of 6 blocks are held";
    EXPECT_TRUE(books.grow(greedy, 12));
    EXPECT_EQ(books.stats().evicted_blocks, 0u);
}

TEST_F(Books, count_what_is_read_again_after_eviction) {
    KvBooks books({.blocks = 4, .block_tokens = 4, .ghost_blocks = 8});
    const Tokens prompt = numbers(0, 13);
    EXPECT_EQ(serve(books, next(), prompt).reread_tokens, 0u);
    tick(books);
    serve(books, next(), numbers(50, 9));  // takes 3 blocks: 1 free one, 2 from the prompt's end
    const Hit hit = serve(books, next(), prompt);
    EXPECT_EQ(hit.cached_tokens, 4u);
    EXPECT_EQ(hit.reread_tokens, 8u);
    EXPECT_EQ(books.stats().reread, 8u);
}

TEST_F(Books, keep_or_drop_what_an_ended_sequence_computed) {
    KvBooks books({.blocks = 16, .block_tokens = 4});
    const Tokens system = numbers(0, 8);
    serve(books, next(), system);
    for (const bool keep : {false, true}) {
        const Tokens prompt = joined(system, numbers(60, 8));
        const SequenceId id = next();
        books.begin(id, prompt, {});
        ASSERT_TRUE(books.grow(id, 16));
        books.computed(id, prompt, 16);
        books.release(id, keep);
        books.check();
        EXPECT_EQ(books.cached_blocks(), keep ? 4u : 2u);
    }
}

TEST_F(Books, forget_everything_when_reset) {
    KvBooks books({.blocks = 8, .block_tokens = 4, .ghost_blocks = 8});
    serve(books, next(), numbers(0, 30), {"salt", "", {}});
    books.reset();
    books.check();
    EXPECT_EQ(books.free_blocks(), 8u);
    EXPECT_EQ(serve(books, next(), numbers(0, 30), {"salt", "", {}}).reread_tokens, 0u);
}

// --- what is kept -------------------------------------------------------------------------------

TEST_F(Books, evict_the_least_recent_from_its_end) {
    KvBooks books({.blocks = 6, .block_tokens = 4});
    const Tokens older = numbers(0, 12);
    const Tokens newer = numbers(100, 12);
    serve(books, next(), older);
    tick(books);
    serve(books, next(), newer);
    tick(books);
    serve(books, next(), numbers(200, 8));
    EXPECT_EQ(cached(books, joined(older, {TokenId{9}})), 4u);
    EXPECT_EQ(cached(books, joined(newer, {TokenId{9}})), 12u);
}

TEST_F(Books, evict_lower_priorities_first_until_they_lapse) {
    const Retention precious{{{0, 8, 80, Duration::seconds(60)}}};
    const Retention worthless{{{0, 8, 5, Duration::max()}}};
    const Tokens a = numbers(0, 8);
    const Tokens b = numbers(100, 8);
    const Tokens c = numbers(200, 8);
    for (const bool lapsed : {false, true}) {
        KvBooks books({.blocks = 6, .block_tokens = 4});
        tick(books);
        serve(books, next(), a, {}, precious);
        tick(books);
        serve(books, next(), b);
        tick(books);
        serve(books, next(), c, {}, worthless);
        tick(books, Duration::seconds(lapsed ? 61 : 59));
        serve(books, next(), numbers(300, 16));  // four of the six blocks
        EXPECT_EQ(cached(books, joined(c, {TokenId{9}})), 0u);
        EXPECT_EQ(cached(books, joined(a, {TokenId{9}})), lapsed ? 0u : 8u);
        EXPECT_EQ(cached(books, joined(b, {TokenId{9}})), lapsed ? 8u : 0u);
    }
}

TEST_F(Books, demote_what_a_newer_turn_left_behind) {
    KvBooks books({.blocks = 10, .block_tokens = 4});
    const KvScope agent{"", "", SessionId{1}};
    const KvScope other{"", "", SessionId{2}};
    const Tokens kept = numbers(0, 12);
    const Tokens thinking =
        joined(kept, numbers(100, 8));  // the client drops it from the next turn
    const Tokens next_turn = joined(kept, numbers(200, 4));
    const Tokens bystander = numbers(300, 8);
    tick(books);
    serve(books, next(), bystander, other);  // the least recent
    tick(books);
    serve(books, next(), thinking, agent);
    tick(books);
    serve(books, next(), next_turn, agent);
    EXPECT_EQ(books.stats().superseded_blocks, 2u);
    tick(books);
    serve(books, next(), numbers(400, 16), other);  // two free blocks and two more
    EXPECT_EQ(cached(books, joined(bystander, {TokenId{9}})), 8u);
    EXPECT_EQ(cached(books, joined(thinking, {TokenId{9}})), 12u);
    EXPECT_EQ(cached(books, joined(next_turn, {TokenId{9}})), 16u);
}

TEST_F(Books, do_not_take_a_side_call_for_the_next_turn) {
    KvBooks books({.blocks = 32, .block_tokens = 4});
    const KvScope agent{"", "", SessionId{1}};
    const Tokens turn = numbers(0, 40);
    serve(books, next(), numbers(900, 8), agent);  // such as a title for the conversation
    serve(books, next(), turn, agent);
    serve(books, next(), numbers(800, 8), agent);
    EXPECT_EQ(books.stats().superseded_blocks, 0u);
    serve(books, next(), joined(numbers(0, 36), numbers(500, 8)), agent);
    EXPECT_EQ(books.stats().superseded_blocks, 1u) << "the turn is still known after the side call";
}

TEST_F(Books, do_not_demote_what_another_session_uses) {
    KvBooks books({.blocks = 32, .block_tokens = 4});
    const Tokens turn = numbers(0, 20);
    serve(books, next(), turn, {"", "", SessionId{1}});
    serve(books, next(), joined(turn, numbers(50, 4)), {"", "", SessionId{2}});
    serve(books, next(), joined(numbers(0, 12), numbers(70, 8)), {"", "", SessionId{1}});
    EXPECT_EQ(books.stats().superseded_blocks, 0u);
}

TEST_F(Books, restore_what_was_demoted_when_it_is_used_again) {
    KvBooks books({.blocks = 10, .block_tokens = 4});
    const KvScope agent{"", "", SessionId{1}};
    const Tokens branch = joined(numbers(0, 8), numbers(100, 4));
    tick(books);
    serve(books, next(), branch, agent);
    serve(books, next(), joined(numbers(0, 8), numbers(200, 4)), agent);
    EXPECT_EQ(books.stats().superseded_blocks, 1u);
    tick(books);
    serve(books, next(), numbers(300, 8));
    tick(books);
    serve(books, next(), joined(branch, numbers(110, 1)), agent);  // the user went back to it
    tick(books);
    serve(books, next(), numbers(400, 24));
    EXPECT_EQ(cached(books, joined(branch, {TokenId{9}})), 12u);
}

TEST_F(Books, keep_what_several_conversations_share_while_it_is_in_use) {
    const Tokens system = numbers(0, 8);
    const Tokens single = numbers(100, 8);
    for (const bool in_use : {true, false}) {
        KvBooks books({.blocks = 8, .block_tokens = 4});
        tick(books);
        serve(books, next(), joined(system, numbers(200, 4)), {"", "", SessionId{1}});
        serve(books, next(), joined(system, numbers(300, 4)), {"", "", SessionId{2}});
        tick(books, in_use ? Duration::seconds(1) : kSharedFor);
        serve(books, next(), single);
        tick(books);
        serve(books, next(), numbers(400, 24));  // six of eight blocks
        EXPECT_EQ(cached(books, joined(system, {TokenId{9}})), in_use ? 8u : 0u);
        EXPECT_EQ(cached(books, joined(single, {TokenId{9}})), in_use ? 0u : 8u);
    }
}

TEST_F(Books, keep_every_block_that_a_hint_touches) {
    KvBooks books({.blocks = 8, .block_tokens = 4});
    tick(books);
    serve(books, next(), numbers(0, 16), {}, Retention{{{0, 7, 60, Duration::max()}}});
    tick(books);
    serve(books, next(), numbers(100, 16));
    tick(books);
    serve(books, next(), numbers(200, 24));
    EXPECT_EQ(cached(books, numbers(0, 17)), 8u) << "the block that position 6 lies in, and before";
}

}  // namespace
}  // namespace brigada
