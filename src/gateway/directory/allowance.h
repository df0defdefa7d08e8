// Allowance: what a holder may use: rates, concurrent calls and money, for all models together and
// for single ones. Written as the administrator wrote it; budget_rules() says it as the budgets
// core wants it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/wall_time.h"

namespace brigada {

struct RateLimits {
    std::optional<int64_t> requests_per_minute = {};
    std::optional<int64_t> tokens_per_minute = {};
    std::optional<int64_t> concurrent = {};

    bool any() const { return requests_per_minute || tokens_per_minute || concurrent; }
    friend bool operator==(const RateLimits&, const RateLimits&) = default;
};

/// At most `max` in every `duration`: "30d", "24h", "1mo". Empty: over the whole life.
struct TimedBudget {
    Money max = {};
    std::string duration = {};

    friend bool operator==(const TimedBudget&, const TimedBudget&) = default;
};

struct BudgetIncrease {
    Money amount = {};
    WallTime until = {};

    friend bool operator==(const BudgetIncrease&, const BudgetIncrease&) = default;
};

/// One budget as the budgets core counts it.
struct BudgetRule {
    Money max = {};
    std::string duration = {};
    int32_t soft_per_mille = 0;  // a threshold of its own beside the usual ones; 0: none
    bool hard = true;            // false: showback, counts and warns but never refuses
    std::optional<BudgetIncrease> increase = {};

    friend bool operator==(const BudgetRule&, const BudgetRule&) = default;
};

struct Allowance {
    RateLimits limits = {};
    std::map<std::string, RateLimits> model_limits = {};
    std::optional<Money> max_budget = {};
    std::optional<Money> soft_budget = {};
    std::string budget_duration = {};
    std::vector<TimedBudget> more_budgets = {};
    std::map<std::string, TimedBudget> model_budgets = {};
    std::optional<BudgetIncrease> increase = {};  // of max_budget
    bool showback = false;

    friend bool operator==(const Allowance&, const Allowance&) = default;
};

/// `own`, and where it says nothing what `base` says. The parts of a budget stay together.
Allowance filled_from(Allowance own, const Allowance& base);

/// The budgets over all models, max_budget first. A soft budget alone is a showback budget.
std::vector<BudgetRule> budget_rules(const Allowance& allowance);

/// The budgets of one model, by the name or pattern it was written with.
std::vector<BudgetRule> model_budget_rules(const Allowance& allowance, std::string_view model);

/// Whether anything is limited over all models.
bool limits_all_models(const Allowance& allowance);

/// The names and patterns of models that are limited on their own, sorted.
std::vector<std::string> limited_models(const Allowance& allowance);

}  // namespace brigada
