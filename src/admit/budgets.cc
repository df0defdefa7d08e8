#include "admit/budgets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/check.h"

namespace brigada {
namespace {

/// Later than any other where the budget never begins anew.
WallTime reset_of(const BudgetRefusal& refusal) {
    return refusal.resets_at.value_or(WallTime{std::numeric_limits<int64_t>::max()});
}

void keep_later(std::optional<BudgetRefusal>& worst, const std::optional<BudgetRefusal>& other) {
    if (other && (!worst || reset_of(*other) > reset_of(*worst))) worst = other;
}

bool reaches(__int128 spent, int32_t permille, __int128 limit) {
    return spent * 1'000 >= limit * permille;
}

}  // namespace

// --- one account --------------------------------------------------------------------------------

Budgets::Nano Budgets::Account::limit(WallTime now) const {
    return Nano{budget.limit.nano} + (now < increase.until ? increase.amount.nano : 0);
}

// A clock that jumped back leaves the window as it is: nobody gets a budget twice because a clock
// was set.
void Budgets::Account::roll(WallTime now) {
    if (now < window.end) return;
    spent = 0;
    own = 0;
    earlier.reset();
    others_reserved = 0;
    when_alone.reset();
    reported = 0;
    window = window_of(budget.period, budget.zone, now);
}

bool Budgets::Account::refuses(Nano reserved, Money estimate, bool is_alone, WallTime now) const {
    if (budget.enforcement == Enforcement::showback) return false;
    if (is_alone && when_alone && spent + reserved + estimate.nano > *when_alone) return true;
    return spent >= limit(now) || spent + reserved + estimate.nano > limit(now);
}

void Budgets::Account::mark_reached(WallTime now) {
    for (const int32_t permille : budget.soft_permille)
        if (reaches(spent, permille, limit(now))) reported = std::max(reported, permille);
}

// --- settings -----------------------------------------------------------------------------------

std::vector<UncountedBudget> Budgets::set_budgets(ScopeId scope, std::vector<Budget> budgets,
                                                  WallTime now) {
    std::vector<UncountedBudget> uncounted;
    Scope& place = scopes_[scope];
    place.id = scope;
    std::vector<Account> old = std::exchange(place.accounts, {});
    for (Budget& budget : budgets) {
        std::ranges::sort(budget.soft_permille);
        const auto kept = std::ranges::find_if(old, [&](const Account& account) {
            return account.budget.period == budget.period && account.budget.zone == budget.zone;
        });
        Account account;
        if (kept != old.end()) {
            account = std::move(*kept);
            old.erase(kept);
        } else {
            account.serial = next_serial_++;
            account.window = window_of(budget.period, budget.zone, now);
            uncounted.push_back({account.serial, account.window});
        }
        account.budget = std::move(budget);
        place.accounts.push_back(std::move(account));
    }
    forget_if_unused(place);
    return uncounted;
}

void Budgets::increase(ScopeId scope, size_t budget, const TemporaryIncrease& increase) {
    account(scope, budget).increase = increase;
}

void Budgets::add_earlier(ScopeId scope, const UncountedBudget& uncounted, Money spent,
                          WallTime now) {
    CHECK(spent.nano >= 0);
    const auto known = scopes_.find(scope);
    if (known == scopes_.end()) return;
    for (Account& account : known->second.accounts) {
        if (account.serial != uncounted.serial) continue;
        account.roll(now);
        if (account.window.begin != uncounted.window.begin || account.earlier) return;
        account.spent += spent.nano;
        account.mark_reached(now);
    }
}

Budgets::Account& Budgets::account(ScopeId scope, size_t budget) {
    const auto known = scopes_.find(scope);
    CHECK(known != scopes_.end() && budget < known->second.accounts.size(), "scope ", raw(scope),
          " has no budget ", budget);
    return known->second.accounts[budget];
}

// --- calls --------------------------------------------------------------------------------------

std::expected<BudgetReservation, BudgetRefusal> Budgets::reserve(std::span<const ScopeId> scopes,
                                                                 Money estimate, WallTime now) {
    CHECK(estimate.nano >= 0);
    std::vector<Scope*> found = find(scopes);
    std::optional<BudgetRefusal> worst;
    for (Scope* scope : found) {
        if (alone_) look_back(*scope, now);
        keep_later(worst, refusal(*scope, estimate, now));
    }
    if (worst) return std::unexpected(*worst);
    return take(std::move(found), estimate);
}

BudgetReservation Budgets::take(std::vector<Scope*> found, Money estimate) {
    for (Scope* scope : found) {
        scope->reserved += estimate.nano;
        ++scope->open;
    }
    const BudgetReservation id{next_id_++};
    reservations_.emplace(id, Reservation{estimate, std::move(found)});
    return id;
}

std::vector<Budgets::Scope*> Budgets::find(std::span<const ScopeId> scopes) {
    std::vector<Scope*> found;
    found.reserve(scopes.size());
    for (const ScopeId scope : scopes)
        if (const auto known = scopes_.find(scope); known != scopes_.end())
            found.push_back(&known->second);
    return found;
}

std::optional<BudgetRefusal> Budgets::refusal(Scope& scope, Money estimate, WallTime now) const {
    std::optional<BudgetRefusal> worst;
    for (size_t i = 0; i < scope.accounts.size(); ++i) {
        Account& account = scope.accounts[i];
        account.roll(now);
        if (!account.refuses(scope.reserved, estimate, alone_.has_value(), now)) continue;
        BudgetRefusal refusal{.scope = scope.id,
                              .budget = i,
                              .limit = to_money(account.limit(now)),
                              .spent = to_money(account.spent),
                              .reserved = to_money(scope.reserved)};
        const bool never_resets = account.budget.period.unit == BudgetPeriod::Unit::total;
        if (!never_resets) refusal.resets_at = account.window.end;
        keep_later(worst, refusal);
    }
    return worst;
}

std::vector<ThresholdCrossing> Budgets::settle(BudgetReservation id, Money cost, WallTime now) {
    CHECK(cost.nano >= 0);
    const Reservation reservation = take_out(id);
    std::vector<ThresholdCrossing> crossings;
    for (Scope* scope : reservation.scopes) {
        spend(*scope, cost, now, crossings);
        forget_if_unused(*scope);
    }
    return crossings;
}

void Budgets::spend(Scope& scope, Money cost, WallTime now,
                    std::vector<ThresholdCrossing>& crossings) {
    for (size_t i = 0; i < scope.accounts.size(); ++i) {
        Account& account = scope.accounts[i];
        account.roll(now);
        account.spent += cost.nano;
        account.own += cost.nano;
        const int32_t reported = account.reported;
        account.mark_reached(now);
        for (const int32_t permille : account.budget.soft_permille)
            if (permille > reported && permille <= account.reported)
                crossings.push_back({scope.id, i, permille, to_money(account.limit(now)),
                                     to_money(account.spent), account.window});
    }
}

void Budgets::cancel(BudgetReservation id) {
    const Reservation reservation = take_out(id);
    for (Scope* scope : reservation.scopes)
        forget_if_unused(*scope);
}

Budgets::Reservation Budgets::take_out(BudgetReservation id) {
    auto node = reservations_.extract(id);
    CHECK(!node.empty(), "reservation ", raw(id), " is not open");
    for (Scope* scope : node.mapped().scopes) {
        scope->reserved -= node.mapped().estimate.nano;
        --scope->open;
    }
    return std::move(node.mapped());
}

void Budgets::forget_if_unused(Scope& scope) {
    if (scope.accounts.empty() && scope.open == 0) scopes_.erase(scope.id);
}

// --- what it says -------------------------------------------------------------------------------

std::vector<BudgetStatus> Budgets::status(ScopeId scope, WallTime now) const {
    std::vector<BudgetStatus> status;
    const auto known = scopes_.find(scope);
    if (known == scopes_.end()) return status;
    for (Account account : known->second.accounts) {  // a copy, so that asking changes nothing
        account.roll(now);
        status.push_back({to_money(account.limit(now)), to_money(account.spent),
                          to_money(known->second.reserved), account.window});
    }
    return status;
}

Money Budgets::to_money(Nano nano) {
    return {static_cast<int64_t>(std::min<Nano>(nano, std::numeric_limits<int64_t>::max()))};
}

void Budgets::check() const {
    std::map<const Scope*, std::pair<Nano, int64_t>> held;
    for (const auto& [id, reservation] : reservations_) {
        CHECK(raw(id) < next_id_);
        for (const Scope* scope : reservation.scopes) {
            held[scope].first += reservation.estimate.nano;
            ++held[scope].second;
        }
    }
    for (const auto& [id, scope] : scopes_) {
        const auto [reserved, open] = held[&scope];
        CHECK(scope.id == id && scope.open == open && scope.reserved == reserved, "scope ",
              raw(id));
        CHECK(scope.open > 0 || !scope.accounts.empty(), "scope ", raw(id), " is of no use");
        for (const Account& account : scope.accounts) {
            CHECK(account.spent >= 0 && account.window.begin < account.window.end);
            CHECK(std::ranges::is_sorted(account.budget.soft_permille));
            CHECK(account.serial > 0 && account.serial < next_serial_);
        }
    }
    CHECK(held.size() == scopes_.size(), "a reservation holds a scope that was forgotten");
}

}  // namespace brigada
