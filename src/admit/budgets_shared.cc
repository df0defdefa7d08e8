// Budgets that replicas count together: what they tell each other, and what one may spend alone.
#include <algorithm>
#include <utility>

#include "admit/budgets.h"
#include "base/check.h"
#include "base/concat.h"

namespace brigada {

std::string Budgets::Account::window_name() const {
    return concat(to_string(budget.period), ":", budget.zone.name(), ":",
                  window.begin.ns / 1'000'000'000);
}

std::vector<SharedBudget> Budgets::shared(ScopeId scope, WallTime now) {
    std::vector<SharedBudget> out;
    const auto known = scopes_.find(scope);
    if (known == scopes_.end()) return out;
    for (Account& account : known->second.accounts) {
        account.roll(now);
        std::string window = account.window_name();
        const auto twins = std::ranges::count_if(
            out, [&](const SharedBudget& other) { return other.window.starts_with(window); });
        if (twins > 0) window += concat("#", twins);
        out.push_back({.window = std::move(window),
                       .limit = to_money(account.limit(now)),
                       .enforcement = account.budget.enforcement,
                       .earlier = to_money(account.earlier.value_or(account.spent - account.own)),
                       .is_earlier_agreed = account.earlier.has_value(),
                       .own = to_money(account.own),
                       .end = account.window.end});
    }
    return out;
}

BudgetReservation Budgets::take(std::span<const ScopeId> scopes, Money estimate) {
    CHECK(estimate.nano >= 0);
    return take(find(scopes), estimate);
}

void Budgets::settle_quietly(BudgetReservation id, Money cost, WallTime now) {
    CHECK(cost.nano >= 0);
    const Reservation reservation = take_out(id);
    for (Scope* scope : reservation.scopes) {
        for (Account& account : scope->accounts) {
            account.roll(now);
            account.spent += cost.nano;
            account.own += cost.nano;
        }
        forget_if_unused(*scope);
    }
}

// Of many replicas exactly one sees its own cost cross a threshold: the books add one after the
// other.
std::vector<ThresholdCrossing> Budgets::see(ScopeId scope, size_t budget, std::string_view window,
                                            Money earlier, Money since, Money others_reserved,
                                            Money cost) {
    std::vector<ThresholdCrossing> crossings;
    const auto known = scopes_.find(scope);
    if (known == scopes_.end() || budget >= known->second.accounts.size()) return crossings;
    Account& account = known->second.accounts[budget];
    if (!window.starts_with(account.window_name())) return crossings;
    account.earlier = earlier.nano;
    account.spent = Nano{earlier.nano} + since.nano;
    account.others_reserved = others_reserved.nano;
    const Nano limit = account.limit(account.window.begin);
    for (const int32_t permille : account.budget.soft_permille) {
        if (account.spent * 1'000 < limit * permille) continue;
        account.reported = std::max(account.reported, permille);
        if ((account.spent - cost.nano) * 1'000 < limit * permille)
            crossings.push_back({scope, budget, permille, to_money(limit), to_money(account.spent),
                                 account.window});
    }
    return crossings;
}

void Budgets::set_alone(const std::optional<Alone>& alone) {
    alone_ = alone;
    if (!alone || alone->lost == last_lost_) return;  // not lost again, only turned away
    last_lost_ = alone->lost;
    ++losses_;
}

void Budgets::look_back(Scope& scope, WallTime now) const {
    if (scope.loss == losses_) return;
    scope.loss = losses_;
    for (Account& account : scope.accounts) {
        account.roll(now);
        const Nano mine = account.spent + scope.reserved;
        const Nano left = account.limit(now) - mine - account.others_reserved;
        account.when_alone = mine + std::max<Nano>(left, 0) / alone_->replicas;
    }
}

Money Budgets::reserved(ScopeId scope) const {
    const auto known = scopes_.find(scope);
    return known == scopes_.end() ? Money{} : to_money(known->second.reserved);
}

std::vector<ScopeId> Budgets::in_use() const {
    std::vector<ScopeId> out;
    for (const auto& [id, scope] : scopes_)
        if (scope.open > 0 || std::ranges::any_of(scope.accounts, [](const Account& account) {
                return account.own > 0;
            }))
            out.push_back(id);
    std::ranges::sort(out);
    return out;
}

}  // namespace brigada
