#include "gateway/budget_book.h"

#include <algorithm>

#include "base/concat.h"
#include "gateway/directory/time_text.h"
#include "gateway/scope_words.h"

namespace brigada {

namespace {

constexpr Duration kFlushPatience = Duration::seconds(2);

/// The directory takes no duration that is none; one beyond all calendars never ends.
BudgetPeriod period_of(std::string_view duration) {
    return duration.empty() ? BudgetPeriod{} : parse_period(duration).value_or({});
}

std::string shown(Money money) {
    return "$" + decimal_dollars(money);
}

/// Which sums of the ledger are this scope's; nothing for those it keeps no sums of.
std::optional<SpendBy> spend_by(ScopeKind kind) {
    switch (kind) {
        case ScopeKind::key:
            return SpendBy::key;
        case ScopeKind::user:
            return SpendBy::user;
        case ScopeKind::team:
            return SpendBy::team;
        case ScopeKind::organisation:
        case ScopeKind::proxy:  // the sum over all of them
            return SpendBy::organisation;
        case ScopeKind::end_user:  // of one tenant, and
        case ScopeKind::member:    // of one team: the ledger does not add those up
            break;
    }
    return std::nullopt;
}

}  // namespace

Result<BudgetBook> BudgetBook::open(const GatewayConfig& config, Directory& directory,
                                    Ledger& ledger) {
    TRY(const TimeZone zone, TimeZone::find(config.budgets.timezone));
    TRY(ledger.flush(Duration::seconds(30)));  // what a crash left in the log counts, too
    return BudgetBook(config, zone, directory, ledger);
}

Budget BudgetBook::budget_of(const BudgetRule& rule) const {
    Budget out{.limit = rule.max,
               .zone = zone_,
               .enforcement = rule.hard ? Enforcement::hard : Enforcement::showback,
               .soft_permille = {}};
    for (const int64_t permille : config_->brigada.alert_permille)
        out.soft_permille.push_back(static_cast<int32_t>(permille));
    if (rule.soft_per_mille > 0) out.soft_permille.push_back(rule.soft_per_mille);
    std::ranges::sort(out.soft_permille);
    const auto same = std::ranges::unique(out.soft_permille);
    out.soft_permille.erase(same.begin(), same.end());
    out.period = period_of(rule.duration);
    return out;
}

void BudgetBook::take_over(ScopeId scope, WallTime now) {
    const ScopeInfo* info = directory_->describe(scope);
    std::vector<BudgetRule> rules;
    if (info != nullptr) rules = directory_->budgets_of(scope);
    std::vector<Budget> budgets;
    for (const BudgetRule& rule : rules)
        budgets.push_back(budget_of(rule));
    budgets_.set_budgets(scope, budgets, now);
    for (size_t i = 0; i < rules.size(); ++i)
        if (rules[i].increase)
            budgets_.increase(scope, i, {rules[i].increase->amount, rules[i].increase->until});
    const std::vector<BudgetStatus> all = budgets_.status(scope, now);
    if (!all.empty()) (void)ledger_->flush(kFlushPatience);
    for (size_t i = 0; i < all.size(); ++i)
        if (all[i].spent == Money{})  // new here, or nothing was spent yet
            budgets_.restore(scope, i, all[i].window.begin,
                             spent_since(*info, all[i].window.begin));
}

Money BudgetBook::spent_since(const ScopeInfo& info, WallTime since) const {
    const auto by = spend_by(info.kind);
    if (!by) return {};
    SpendQuery query{.by = *by, .span = {.from = since}};
    if (info.kind != ScopeKind::proxy) query.holder = info.id;
    if (!info.model.empty()) query.model = info.model;
    const auto rows = ledger_->spend(query);
    Money sum;
    if (rows.ok())
        for (const SpendRow& row : *rows)
            sum += row.sum.cost;
    return sum;
}

std::expected<BudgetReservation, Refusal> BudgetBook::reserve(std::span<const ScopeId> scopes,
                                                              Money estimate, WallTime now) {
    const auto reserved = budgets_.reserve(scopes, estimate, now);
    if (!reserved) return std::unexpected(refusal(reserved.error(), now));
    return *reserved;
}

void BudgetBook::settle(BudgetReservation id, Money cost, WallTime now) {
    for (const ThresholdCrossing& crossing : budgets_.settle(id, cost, now))
        if (crossed_) crossed_(crossing);
}

Spend BudgetBook::spend(const ScopeInfo& info, WallTime now) {
    Spend out;
    WallTime since;
    const Allowance allowance = directory_->allowance_of(info);
    for (const BudgetRule& rule : budget_rules(allowance)) {
        if (rule.duration.empty()) break;
        const BudgetWindow window = window_of(period_of(rule.duration), zone_, now);
        since = window.begin;
        out.resets_at = window.end;
        break;
    }
    (void)ledger_->flush(kFlushPatience);
    out.spent = spent_since(info, since);
    return out;
}

Refusal BudgetBook::refusal(const BudgetRefusal& refused, WallTime now) const {
    Refusal out{.status = static_cast<int>(config_->brigada.budget_status),
                .type = "budget_exceeded",
                .may_retry = false};
    out.message = concat("Budget has been exceeded! Current cost: ", shown(refused.spent),
                         ", Max budget: ", shown(refused.limit), " of ",
                         words_for(*directory_, refused.scope));
    if (refused.reserved > Money{})
        out.message += concat("; ", shown(refused.reserved), " are reserved by running calls");
    if (refused.resets_at && *refused.resets_at != WallTime{INT64_MAX}) {
        out.message += concat("; it begins anew at ", iso_text(*refused.resets_at));
        out.retry_after = *refused.resets_at - now;
    }
    return out;
}

}  // namespace brigada
