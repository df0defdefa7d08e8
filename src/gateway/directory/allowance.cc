#include "gateway/directory/allowance.h"

#include <algorithm>
#include <set>

namespace brigada {

namespace {

template <typename T>
void fill(std::optional<T>& own, const std::optional<T>& base) {
    if (!own) own = base;
}

void fill(RateLimits& own, const RateLimits& base) {
    fill(own.requests_per_minute, base.requests_per_minute);
    fill(own.tokens_per_minute, base.tokens_per_minute);
    fill(own.concurrent, base.concurrent);
}

/// Parts per mille of max, at least 1 so that a soft budget of nearly nothing still warns.
int32_t per_mille(Money part, Money max) {
    if (max.nano <= 0) return 1000;
    const auto wide = static_cast<__int128>(part.nano) * 1000 / max.nano;
    return static_cast<int32_t>(std::clamp<__int128>(wide, 1, 1000));
}

}  // namespace

Allowance filled_from(Allowance own, const Allowance& base) {
    fill(own.limits, base.limits);
    for (const auto& [model, limits] : base.model_limits)
        fill(own.model_limits[model], limits);
    for (const auto& [model, window] : base.model_budgets)
        own.model_budgets.try_emplace(model, window);
    if (!own.max_budget && !own.soft_budget) {
        own.max_budget = base.max_budget;
        own.soft_budget = base.soft_budget;
        own.budget_duration = base.budget_duration;
        own.showback = own.showback || base.showback;
    }
    if (own.more_budgets.empty()) own.more_budgets = base.more_budgets;
    return own;
}

std::vector<BudgetRule> budget_rules(const Allowance& allowance) {
    std::vector<BudgetRule> rules;
    if (allowance.max_budget) {
        const auto& soft = allowance.soft_budget;
        rules.push_back({.max = *allowance.max_budget,
                         .duration = allowance.budget_duration,
                         .soft_per_mille = soft ? per_mille(*soft, *allowance.max_budget) : 0,
                         .hard = !allowance.showback,
                         .increase = allowance.increase});
    } else if (allowance.soft_budget) {
        rules.push_back(
            {.max = *allowance.soft_budget, .duration = allowance.budget_duration, .hard = false});
    }
    for (const TimedBudget& window : allowance.more_budgets)
        rules.push_back(
            {.max = window.max, .duration = window.duration, .hard = !allowance.showback});
    return rules;
}

std::vector<BudgetRule> model_budget_rules(const Allowance& allowance, std::string_view model) {
    const auto found = allowance.model_budgets.find(std::string(model));
    if (found == allowance.model_budgets.end()) return {};
    return {{.max = found->second.max,
             .duration = found->second.duration,
             .hard = !allowance.showback}};
}

bool limits_all_models(const Allowance& allowance) {
    return allowance.limits.any() || allowance.max_budget || allowance.soft_budget ||
           !allowance.more_budgets.empty();
}

std::vector<std::string> limited_models(const Allowance& allowance) {
    std::set<std::string> names;
    for (const auto& [model, limits] : allowance.model_limits)
        if (limits.any()) names.insert(model);
    for (const auto& [model, window] : allowance.model_budgets)
        names.insert(model);
    return {names.begin(), names.end()};
}

}  // namespace brigada
