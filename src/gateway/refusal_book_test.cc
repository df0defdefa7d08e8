#include "gateway/refusal_book.h"

#include <gtest/gtest.h>

#include "base/concat.h"

namespace brigada {

namespace {

constexpr WallTime kStart = WallTime::seconds(1'790'000'000);

WallTime after(int64_t seconds) {
    return kStart + Duration::seconds(seconds);
}

}  // namespace

TEST(RefusalBook, adds_up_what_is_alike_and_tells_it_after_a_while) {
    RefusalBook book;
    for (int i = 0; i < 5; ++i)
        book.add("k1", "rate_limit_error", 429, "m", concat("try ", i), after(i));
    book.add("k1", "budget_exceeded", 429, "m", "no money", after(5));
    EXPECT_TRUE(book.take(after(9)).empty());
    const auto first = book.take(after(10));
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].actor, "key/k1");
    EXPECT_EQ(first[0].action, "policy.refuse");
    EXPECT_EQ(first[0].object, "model/m");
    EXPECT_EQ(first[0].at, after(4));
    EXPECT_EQ(first[0].after["times"], 5);
    EXPECT_EQ(first[0].after["message"], "try 4");
    EXPECT_TRUE(book.take(after(14)).empty());
    const auto rest = book.take_all();
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].after["type"], "budget_exceeded");
    EXPECT_TRUE(book.take_all().empty());
}

TEST(RefusalBook, stays_small_whoever_asks_for_whatever) {
    RefusalBook book;
    for (int i = 0; i < 5'000; ++i)
        book.add("", "auth_error", 401, std::string(1'000, 'x') + std::to_string(i % 3), "who?",
                 kStart);
    for (int i = 0; i < 5'000; ++i)
        book.add(concat("k", i), "auth_error", 403, "m", "not yours", kStart);
    const auto events = book.take_all();
    ASSERT_LE(events.size(), RefusalBook::kMost + 1);
    int64_t times = 0;
    for (const AuditEvent& event : events) {
        times += event.after["times"].get<int64_t>();
        EXPECT_LT(event.object.size(), 200u);
    }
    EXPECT_EQ(times, 10'000) << "none is lost";
}

TEST(RefusalBook, policy_is_who_and_how_much_not_what_is_wrong_with_a_body) {
    for (const int status : {401, 402, 403, 429})
        EXPECT_TRUE(is_of_policy(status)) << status;
    for (const int status : {400, 404, 413, 500, 502, 503, 504})
        EXPECT_FALSE(is_of_policy(status)) << status;
}

}  // namespace brigada
