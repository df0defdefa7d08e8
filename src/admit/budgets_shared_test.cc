#include "admit/budgets.h"

namespace brigada {
namespace {

constexpr ScopeId kTeam{1};
constexpr ScopeId kScopes[] = {kTeam};
constexpr WallTime kNoon = WallTime::seconds(1'767'268'800);
constexpr Instant kLost = Instant::at_ns(1);

Budget a_day(int64_t nano, Enforcement enforcement = Enforcement::hard) {
    return {.limit = Money{nano},
            .period = {.unit = BudgetPeriod::Unit::day},
            .enforcement = enforcement,
            .soft_permille = {500}};
}

Alone alone(int64_t replicas, Instant lost = kLost) {
    return {.replicas = replicas, .lost = lost, .settled = lost + Duration::seconds(64)};
}

TEST(SharedBudgets, are_named_by_their_window_alone) {
    Budgets here, there;
    here.set_budgets(kTeam, {a_day(100)}, kNoon);
    there.set_budgets(kTeam, {a_day(200), a_day(300)}, kNoon + Duration::seconds(60));
    const std::string name = here.shared(kTeam, kNoon).at(0).window;
    EXPECT_EQ(there.shared(kTeam, kNoon).at(0).window, name);
    EXPECT_NE(there.shared(kTeam, kNoon).at(1).window, name) << "its twin is another";
    const WallTime tomorrow = kNoon + Duration::seconds(86'400);
    EXPECT_NE(here.shared(kTeam, tomorrow).at(0).window, name);
}

TEST(SharedBudgets, say_what_was_spent_here_and_before) {
    Budgets budgets;
    const auto uncounted = budgets.set_budgets(kTeam, {a_day(1'000)}, kNoon);
    budgets.add_earlier(kTeam, uncounted.at(0), Money{300}, kNoon);
    budgets.settle_quietly(budgets.take(kScopes, Money{50}), Money{20}, kNoon);
    const SharedBudget shared = budgets.shared(kTeam, kNoon).at(0);
    EXPECT_EQ(shared.earlier, Money{300});
    EXPECT_EQ(shared.own, Money{20});
    EXPECT_FALSE(shared.is_earlier_agreed);
    EXPECT_EQ(budgets.reserved(kTeam), Money{});
    budgets.check();
}

TEST(SharedBudgets, a_threshold_is_told_by_whoever_crossed_it) {
    Budgets budgets;
    budgets.set_budgets(kTeam, {a_day(1'000)}, kNoon);
    const std::string window = budgets.shared(kTeam, kNoon).at(0).window;
    const auto see = [&](int64_t since, int64_t cost) {
        return budgets.see(kTeam, 0, window, Money{100}, Money{since}, {}, Money{cost}).size();
    };
    EXPECT_EQ(see(390, 100), 0u);
    EXPECT_EQ(see(410, 20), 1u);
    EXPECT_EQ(see(420, 0), 0u) << "another replica's";
    EXPECT_EQ(budgets.status(kTeam, kNoon).at(0).spent, Money{520});
    EXPECT_EQ(budgets.see(kTeam, 0, "day of yesterday", {}, {}, {}, Money{900}).size(), 0u);
}

TEST(SharedBudgets, alone_an_equal_part_of_what_was_left_is_spent) {
    Budgets budgets;
    budgets.set_budgets(kTeam, {a_day(1'000)}, kNoon);
    const std::string window = budgets.shared(kTeam, kNoon).at(0).window;
    const auto open = budgets.take(kScopes, Money{100});
    budgets.see(kTeam, 0, window, Money{}, Money{300}, Money{300}, {});
    budgets.set_alone(alone(3));  // 1,000 - 300 - 100 - 300 are left: 100 for each
    EXPECT_FALSE(budgets.reserve(kScopes, Money{101}, kNoon));
    EXPECT_TRUE(budgets.reserve(kScopes, Money{60}, kNoon));
    budgets.set_alone({});
    budgets.set_alone(alone(3));  // turned away, not lost again
    EXPECT_FALSE(budgets.reserve(kScopes, Money{41}, kNoon));
    EXPECT_TRUE(budgets.reserve(kScopes, Money{40}, kNoon));
    budgets.settle(open, Money{100}, kNoon);
    EXPECT_FALSE(budgets.reserve(kScopes, Money{1}, kNoon));
    budgets.set_alone({});
    EXPECT_TRUE(budgets.reserve(kScopes, Money{300}, kNoon));
    budgets.check();
}

}  // namespace
}  // namespace brigada
