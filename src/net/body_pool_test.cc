#include "net/body_pool.h"

#include <gtest/gtest.h>

namespace brigada {

TEST(BodyPool, gives_out_what_was_given_back_last) {
    BodyPool pool;
    std::string first(400'000, 'a'), second(500'000, 'b');
    const char* where = second.data();
    pool.give(first);
    pool.give(second);
    EXPECT_LT(second.capacity(), BodyPool::kSmallest) << "the memory has gone";
    EXPECT_EQ(pool.spare(), 2u);
    const std::string again = pool.take(400'000);
    EXPECT_EQ(again.data(), where);
    EXPECT_TRUE(again.empty());
    EXPECT_EQ(pool.spare(), 1u);
}

TEST(BodyPool, keeps_no_small_ones_no_giants_and_not_too_many) {
    BodyPool pool;
    std::string small(1'000, 'a'), giant(BodyPool::kLargest + 1, 'a');
    pool.give(small);
    pool.give(giant);
    EXPECT_EQ(pool.spare(), 0u);
    EXPECT_TRUE(giant.empty());
    for (size_t i = 0; i < 2 * BodyPool::kSpare; ++i) {
        std::string body(100'000, 'a');
        pool.give(body);
    }
    EXPECT_EQ(pool.spare(), BodyPool::kSpare);
    EXPECT_EQ(pool.take(100).capacity(), std::string().capacity());
    EXPECT_EQ(pool.spare(), BodyPool::kSpare) << "not for a small body";
}

}  // namespace brigada
