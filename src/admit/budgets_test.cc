#include "admit/budgets.h"

#include <algorithm>
#include <map>

#include "base/rng.h"

namespace brigada {
namespace {

constexpr ScopeId kTeam{1};
constexpr ScopeId kKey{2};
constexpr int64_t kHour = 3'600;
const WallTime kNoon = WallTime::seconds(20'000 * 86'400 + 12 * kHour);
const WallTime kMidnight = WallTime::seconds(20'001 * 86'400);

BudgetPeriod period(const char* text) {
    return parse_period(text).value();
}

Budget dollars(int64_t limit, const char* text, Enforcement enforcement = Enforcement::hard) {
    return {.limit = Money::dollars(limit), .period = period(text), .enforcement = enforcement};
}

/// Spends it in one call.
std::vector<ThresholdCrossing> spend(Budgets& budgets, std::span<const ScopeId> scopes, Money cost,
                                     WallTime now) {
    return budgets.settle(budgets.reserve(scopes, {}, now).value(), cost, now);
}

TEST(Budgets, refuses_what_does_not_fit_and_says_when_it_begins_anew) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(10, "day")}, kNoon);
    const ScopeId scopes[] = {kKey};
    spend(budgets, scopes, Money::dollars(6), kNoon);
    const auto open = budgets.reserve(scopes, Money::dollars(3), kNoon);
    ASSERT_TRUE(open);
    const auto refused = budgets.reserve(scopes, Money{1'000'000'001}, kNoon);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (BudgetRefusal{.scope = kKey,
                                              .budget = 0,
                                              .limit = Money::dollars(10),
                                              .spent = Money::dollars(6),
                                              .reserved = Money::dollars(3),
                                              .resets_at = kMidnight}));
    EXPECT_TRUE(budgets.reserve(scopes, Money::dollars(1), kNoon)) << "exactly the rest fits";
    budgets.cancel(*open);
    EXPECT_TRUE(budgets.reserve(scopes, Money::dollars(3), kNoon));
    EXPECT_TRUE(budgets.reserve(scopes, Money::dollars(6), kMidnight));
    budgets.check();
}

TEST(Budgets, refuses_even_what_is_free_when_used_up) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(1, "total")}, kNoon);
    const ScopeId scopes[] = {kKey};
    spend(budgets, scopes, Money::dollars(5), kNoon);
    const auto refused = budgets.reserve(scopes, {}, WallTime::seconds(5'000'000'000));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().resets_at, std::nullopt);
}

TEST(Budgets, takes_nothing_anywhere_for_a_refused_call) {
    Budgets budgets;
    budgets.set_budgets(kTeam, {dollars(100, "month")}, kNoon);
    budgets.set_budgets(kKey, {dollars(1, "day")}, kNoon);
    const ScopeId both[] = {kTeam, kKey};
    ASSERT_FALSE(budgets.reserve(both, Money::dollars(2), kNoon));
    EXPECT_EQ(budgets.status(kTeam, kNoon).at(0).reserved, Money{0});
    EXPECT_EQ(budgets.reservations(), 0u);
}

TEST(Budgets, names_the_budget_that_begins_anew_last) {
    Budgets budgets;
    budgets.set_budgets(kTeam, {dollars(1, "day"), dollars(1, "month"), dollars(1, "hour")}, kNoon);
    budgets.set_budgets(kKey, {dollars(1, "week")}, kNoon);
    const ScopeId both[] = {kKey, kTeam};
    const BudgetRefusal refusal = budgets.reserve(both, Money::dollars(2), kNoon).error();
    EXPECT_EQ(refusal.scope, kTeam);
    EXPECT_EQ(refusal.budget, 1u);
}

TEST(Budgets, counts_but_never_refuses_in_showback) {
    Budgets budgets;
    budgets.set_budgets(kTeam, {dollars(1, "month", Enforcement::showback)}, kNoon);
    const ScopeId scopes[] = {kTeam};
    EXPECT_EQ(spend(budgets, scopes, Money::dollars(7), kNoon).size(), 3u);
    EXPECT_TRUE(budgets.reserve(scopes, Money::dollars(7), kNoon));
    EXPECT_EQ(budgets.status(kTeam, kNoon).at(0).spent, Money::dollars(7));
}

TEST(Budgets, reports_each_threshold_once_a_window) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(10, "day")}, kNoon);
    const ScopeId scopes[] = {kKey};
    const auto told = [&](int64_t nano, WallTime now) {
        std::vector<int32_t> permille;
        for (const ThresholdCrossing& crossing : spend(budgets, scopes, {nano}, now))
            permille.push_back(crossing.permille);
        return permille;
    };
    using List = std::vector<int32_t>;
    EXPECT_EQ(told(4'999'999'999, kNoon), List{});
    EXPECT_EQ(told(1, kNoon), List{500});
    EXPECT_EQ(told(1'000'000'000, kNoon), List{});
    EXPECT_EQ(told(3'900'000'000, kNoon), (List{800, 950}));
    budgets.set_budgets(kKey, {dollars(12, "day")}, kNoon);  // below 950 again: not told twice
    EXPECT_EQ(told(2'000'000'000, kNoon), List{});
    EXPECT_EQ(told(6'000'000'000, kMidnight), List{500});
}

TEST(Budgets, adds_an_increase_until_it_expires) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(10, "month")}, kNoon);
    const ScopeId scopes[] = {kKey};
    spend(budgets, scopes, Money::dollars(10), kNoon);
    ASSERT_FALSE(budgets.reserve(scopes, {}, kNoon));
    const WallTime until = kNoon + Duration::seconds(kHour);
    budgets.increase(kKey, 0, {Money::dollars(5), until});
    const auto open = budgets.reserve(scopes, Money::dollars(5), until - Duration::nanoseconds(1));
    ASSERT_TRUE(open);
    budgets.cancel(*open);
    EXPECT_EQ(budgets.reserve(scopes, {}, until).error().limit, Money::dollars(10));
}

TEST(Budgets, keeps_what_was_spent_when_budgets_change) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(10, "day"), dollars(50, "month")}, kNoon);
    const ScopeId scopes[] = {kKey};
    spend(budgets, scopes, Money::dollars(4), kNoon);
    const auto open = budgets.reserve(scopes, Money::dollars(1), kNoon).value();
    budgets.set_budgets(kKey, {dollars(60, "month"), dollars(9, "week"), dollars(8, "day")}, kNoon);
    const std::vector<BudgetStatus> status = budgets.status(kKey, kNoon);
    EXPECT_EQ(status.at(0).spent, Money::dollars(4));
    EXPECT_EQ(status.at(1).spent, Money{0})
        << "a new budget: the ledger knows what was spent before";
    EXPECT_EQ(status.at(2).spent, Money::dollars(4));
    EXPECT_EQ(status.at(2).reserved, Money::dollars(1));
    budgets.set_budgets(kKey, {}, kNoon);
    budgets.check();
    EXPECT_EQ(budgets.scopes(), 1u) << "a call is open";
    budgets.settle(open, Money::dollars(1), kNoon);
    EXPECT_EQ(budgets.scopes(), 0u);
}

TEST(Budgets, adds_what_was_spent_before_it_counted) {
    Budgets budgets;
    const auto uncounted = budgets.set_budgets(kKey, {dollars(10, "day")}, kNoon);
    ASSERT_EQ(uncounted.size(), 1u);
    EXPECT_EQ(uncounted[0].window.begin, kMidnight - Duration::seconds(24 * kHour));
    const ScopeId scopes[] = {kKey};
    spend(budgets, scopes, Money{500'000'000}, kNoon);  // a call that ends while the ledger is read
    budgets.add_earlier(kKey, uncounted[0], Money{8'500'000'000}, kNoon);
    EXPECT_FALSE(budgets.reserve(scopes, Money::dollars(2), kNoon));
    EXPECT_EQ(spend(budgets, scopes, Money{600'000'000}, kNoon).size(), 1u)
        << "500 and 800 were told before the restart";
    EXPECT_EQ(budgets.status(kKey, kMidnight).at(0).spent, Money{0});
}

TEST(Budgets, takes_no_earlier_spend_that_is_not_its_own) {
    Budgets budgets;
    const auto first = budgets.set_budgets(kKey, {dollars(10, "day")}, kNoon);
    budgets.set_budgets(kKey, {}, kNoon);
    budgets.add_earlier(kKey, first.at(0), Money::dollars(3), kNoon);  // gone
    const auto second = budgets.set_budgets(kKey, {dollars(10, "day")}, kNoon);
    budgets.add_earlier(kKey, first.at(0), Money::dollars(3), kNoon);  // of its predecessor
    EXPECT_EQ(budgets.status(kKey, kNoon).at(0).spent, Money{0});
    EXPECT_TRUE(budgets.set_budgets(kKey, {dollars(20, "day")}, kNoon).empty()) << "it was kept";
    budgets.add_earlier(kKey, second.at(0), Money::dollars(3), kMidnight);  // of yesterday
    EXPECT_EQ(budgets.status(kKey, kMidnight).at(0).spent, Money{0});
    budgets.check();
}

TEST(Budgets, gives_no_budget_twice_because_a_clock_was_set_back) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(10, "day")}, kMidnight);
    const ScopeId scopes[] = {kKey};
    spend(budgets, scopes, Money::dollars(10), kMidnight);
    EXPECT_FALSE(budgets.reserve(scopes, {}, kNoon)) << "yesterday again";
    EXPECT_FALSE(budgets.reserve(scopes, {}, kMidnight)) << "and today, which was spent already";
    EXPECT_TRUE(budgets.reserve(scopes, {}, kMidnight + Duration::seconds(24 * kHour)));
}

TEST(Budgets, does_not_overflow_on_garbage) {
    Budgets budgets;
    budgets.set_budgets(kKey, {dollars(1, "day", Enforcement::showback)}, kNoon);
    const ScopeId scopes[] = {kKey};
    for (int i = 0; i < 3; ++i)
        spend(budgets, scopes, {INT64_MAX}, kNoon);
    EXPECT_EQ(budgets.status(kKey, kNoon).at(0).spent, Money{INT64_MAX});
}

TEST(BudgetsDeathTest, settles_a_reservation_once) {
    Budgets budgets;
    const auto id = budgets.reserve({}, {}, kNoon).value();
    budgets.cancel(id);
    EXPECT_DEATH(budgets.settle(id, {}, kNoon), "reservation 1 is not open");
}

/// Every call in a list; what was spent is added up anew each time.
struct Naive {
    struct Spent {
        WallTime time;
        std::vector<ScopeId> scopes;
        Money cost;
    };
    std::map<ScopeId, std::vector<Budget>> budgets;
    std::vector<Spent> spent;
    std::map<BudgetReservation, std::pair<std::vector<ScopeId>, Money>> open;

    Money spent_in(ScopeId scope, const BudgetWindow& window) const {
        Money sum;
        for (const Spent& call : spent)
            if (window.contains(call.time) && std::ranges::count(call.scopes, scope) > 0)
                sum += call.cost;
        return sum;
    }
    Money reserved(ScopeId scope) const {
        Money sum;
        for (const auto& [id, call] : open)
            if (std::ranges::count(call.first, scope) > 0) sum += call.second;
        return sum;
    }
    bool fits(ScopeId scope, Money estimate, WallTime now) const {
        return std::ranges::all_of(budgets.at(scope), [&](const Budget& budget) {
            const Money used = spent_in(scope, window_of(budget.period, budget.zone, now));
            return budget.enforcement == Enforcement::showback ||
                   (used < budget.limit && used + reserved(scope) + estimate <= budget.limit);
        });
    }
};

TEST(Budgets, admits_what_a_list_of_all_calls_admits) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        Budgets budgets;
        Naive naive;
        WallTime now = kNoon;
        for (uint64_t i = 0; i < 3; ++i) {
            std::vector<Budget> some{{Money{rng.between(100, 900)}, period("30m")},
                                     {Money{rng.between(900, 9'000)}, period("day")}};
            some[rng.below(2)].enforcement =
                rng.chance(0.3) ? Enforcement::showback : Enforcement::hard;
            naive.budgets[ScopeId{i}] = some;
            budgets.set_budgets(ScopeId{i}, some, now);
        }
        for (int i = 0; i < 500; ++i) {
            now = now + Duration::seconds(rng.between(0, 600));
            std::vector<ScopeId> scopes;
            for (uint64_t s = 0; s < 3; ++s)
                if (rng.chance(0.5)) scopes.push_back(ScopeId{s});
            const Money estimate{rng.between(0, 200)};
            const bool fits = std::ranges::all_of(
                scopes, [&](ScopeId scope) { return naive.fits(scope, estimate, now); });
            const auto id = budgets.reserve(scopes, estimate, now);
            ASSERT_EQ(id.has_value(), fits);
            if (fits) naive.open[*id] = {scopes, estimate};
            if (!naive.open.empty() && rng.chance(0.6)) {
                const auto call = naive.open.begin();
                const Money cost{rng.between(0, 300)};
                if (rng.chance(0.2)) {
                    budgets.cancel(call->first);
                } else {
                    budgets.settle(call->first, cost, now);
                    naive.spent.push_back({now, call->second.first, cost});
                }
                naive.open.erase(call);
            }
            for (const auto& [scope, list] : naive.budgets)
                for (const BudgetStatus& status : budgets.status(scope, now)) {
                    ASSERT_EQ(status.spent, naive.spent_in(scope, status.window));
                    ASSERT_EQ(status.reserved, naive.reserved(scope));
                }
            budgets.check();
        }
    }
}

}  // namespace
}  // namespace brigada
