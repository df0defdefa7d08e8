#include "gateway/seen/alert_book.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace brigada {
namespace {

BudgetRefusal refusal(uint64_t scope, int64_t window, int64_t limit = 5) {
    return {.scope = ScopeId{scope}, .limit = Money::dollars(limit), .resets_at = WallTime{window}};
}

TEST(AlertBook, tells_of_a_budget_once_a_window_and_limit) {
    AlertBook book;
    EXPECT_TRUE(book.is_news(refusal(1, 100)));
    EXPECT_FALSE(book.is_news(refusal(1, 100)));
    EXPECT_TRUE(book.is_news(refusal(2, 100)));
    EXPECT_TRUE(book.is_news(refusal(1, 200)));
    EXPECT_TRUE(book.is_news(refusal(1, 200, 10)));  // raised, and used up again
    EXPECT_FALSE(book.is_news(refusal(1, 200, 10)));
    book.check();
    EXPECT_EQ(book.budgets(), 2u);
}

TEST(AlertBook, tells_what_remembering_everything_tells) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        AlertBook book;
        std::map<std::pair<uint64_t, size_t>, int64_t> last;
        for (int i = 0; i < 500; ++i) {
            BudgetRefusal refused = refusal(rng.below(6), rng.between(1, 3));
            refused.budget = rng.below(2);
            const std::pair key{static_cast<uint64_t>(refused.scope), refused.budget};
            const bool news = !last.contains(key) || last[key] != refused.resets_at->ns;
            last[key] = refused.resets_at->ns;
            ASSERT_EQ(book.is_news(refused), news);
            book.check();
        }
    }
}

TEST(AlertBook, remembers_a_bounded_number_of_budgets) {
    AlertBook book;
    for (uint64_t scope = 0; scope <= AlertBook::kMostBudgets; ++scope)
        ASSERT_TRUE(book.is_news(refusal(scope, 1)));
    EXPECT_EQ(book.budgets(), AlertBook::kMostBudgets);
    EXPECT_FALSE(book.is_news(refusal(AlertBook::kMostBudgets, 1)));
    EXPECT_TRUE(book.is_news(refusal(0, 1)));  // the oldest was forgotten
    book.check();
}

TEST(AlertBook, tells_of_trouble_when_it_begins_and_when_it_ends) {
    using enum AlertBook::Change;
    AlertBook book;
    EXPECT_EQ(book.look("a", false), none);
    EXPECT_EQ(book.look("a", true), began);
    EXPECT_EQ(book.look("a", true), none);
    EXPECT_EQ(book.look("b", true), began);
    EXPECT_EQ(book.look("a", false), ended);
    EXPECT_EQ(book.look("a", false), none);
    EXPECT_EQ(book.look("a", true), began);
    EXPECT_EQ(book.troubles(), 2u);
}

}  // namespace
}  // namespace brigada
