#include "gateway/budget_book.h"

#include <algorithm>

#include "base/concat.h"
#include "gateway/directory/time_text.h"
#include "gateway/scope_words.h"

namespace brigada {

namespace {

constexpr Duration kPatience = Duration::seconds(2);       // of a call, for the ledger's answer
constexpr Duration kFlushPatience = Duration::seconds(5);  // of the worker, for the store
constexpr Duration kStartPatience = Duration::seconds(30);
constexpr Duration kAskAgain = Duration::seconds(1);

/// The directory takes no duration that is none; one beyond all calendars never ends.
BudgetPeriod period_of(std::string_view duration) {
    return duration.empty() ? BudgetPeriod{} : parse_period(duration).value_or({});
}

std::string shown(Money money) {
    return "$" + decimal_dollars(money);
}

/// Which sums of the ledger are this scope's.
SpendBy spend_by(ScopeKind kind) {
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
        case ScopeKind::end_user:
            return SpendBy::end_of_tenant;
        case ScopeKind::member:
            return SpendBy::member;
    }
    return SpendBy::key;
}

/// Whose in those sums.
std::string holder_of(const ScopeInfo& info) {
    return info.owner.empty() ? info.id : joint_holder(info.owner, info.id);
}

/// What the scope's calls that ended in the span have cost.
Result<Money> spent_in(Ledger& ledger, const ScopeInfo& info, CallSpan span) {
    TRY(ledger.flush(kFlushPatience));
    SpendQuery query{.by = spend_by(info.kind), .span = span};
    if (info.kind != ScopeKind::proxy) query.holder = holder_of(info);
    if (!info.model.empty()) query.model = info.model;
    TRY(const std::vector<SpendRow> rows, ledger.spend(query));
    Money sum;
    for (const SpendRow& row : rows)
        sum += row.sum.cost;
    return sum;
}

}  // namespace

Result<std::unique_ptr<BudgetBook>> BudgetBook::open(const GatewayConfig& config,
                                                     const Parts& parts) {
    TRY(const TimeZone zone, TimeZone::find(config.budgets.timezone));
    // What a crash left in the log counts, too. A shared database may be away: service begins.
    const bool is_shared = parts.ledger.is_shared();
    const Result<void> whole = parts.ledger.flush(is_shared ? kFlushPatience : kStartPatience);
    if (!whole.ok() && !is_shared) return whole.error();
    Result<SpendTotals> totals = SpendTotals::read(parts.ledger);
    if (!totals.ok() && !is_shared) return std::move(totals).error();
    std::unique_ptr<BudgetBook> out(
        new BudgetBook(parts, zone, std::move(totals).value_or(SpendTotals())));
    out->set_config(config);
    return out;
}

void BudgetBook::set_config(const GatewayConfig& config) {
    alert_permille_.assign(config.brigada.alert_permille.begin(),
                           config.brigada.alert_permille.end());
    refusal_status_ = static_cast<int>(config.brigada.budget_status);
}

Budget BudgetBook::budget_of(const BudgetRule& rule) const {
    Budget out{.limit = rule.max,
               .zone = zone_,
               .enforcement = rule.hard ? Enforcement::hard : Enforcement::showback,
               .soft_permille = alert_permille_};
    if (rule.soft_per_mille > 0) out.soft_permille.push_back(rule.soft_per_mille);
    std::ranges::sort(out.soft_permille);
    const auto same = std::ranges::unique(out.soft_permille);
    out.soft_permille.erase(same.begin(), same.end());
    out.period = period_of(rule.duration);
    return out;
}

void BudgetBook::take_over(ScopeId scope, WallTime now) {
    const ScopeInfo* info = parts_.directory.describe(scope);
    std::vector<BudgetRule> rules;
    if (info != nullptr) rules = parts_.directory.budgets_of(scope);
    std::vector<Budget> budgets;
    for (const BudgetRule& rule : rules)
        budgets.push_back(budget_of(rule));
    const auto uncounted = budgets_.set_budgets(scope, std::move(budgets), now);
    for (size_t i = 0; i < rules.size(); ++i)
        if (rules[i].increase)
            budgets_.increase(scope, i, {rules[i].increase->amount, rules[i].increase->until});
    if (info == nullptr) return;
    for (const UncountedBudget& each : uncounted)
        if (parts_.loop.spawn(ask_ledger(scope, *info, each, now))) ++asking_[scope];
}

// Calls that end from now on are counted here, those that ended before are the ledger's: `until`
// parts them, and none is counted twice however long the answer takes.
Task<void> BudgetBook::ask_ledger(ScopeId scope, ScopeInfo info, UncountedBudget uncounted,
                                  WallTime until) {
    const CallSpan before{.from = uncounted.window.begin, .to = until};
    Signal pause(parts_.loop.executor());
    for (bool calls_wait = true;; calls_wait = false) {
        const Result<Money> spent = co_await parts_.worker.run<Money>(
            parts_.loop,
            [ledger = &parts_.ledger, info, before] { return spent_in(*ledger, info, before); });
        if (spent.ok()) budgets_.add_earlier(scope, uncounted, *spent, WallClock().now());
        if (calls_wait) answered(scope);  // service goes on without a ledger that does not answer
        if (spent.ok()) co_return;
        co_await pause.wait(kAskAgain);
    }
}

void BudgetBook::answered(ScopeId scope) {
    const auto open = asking_.find(scope);
    if (--open->second == 0) asking_.erase(open);
    for (Signal* waiting : waiting_)
        waiting->notify();
}

bool BudgetBook::is_asking_for(std::span<const ScopeId> scopes) const {
    if (asking_.empty()) return false;
    return std::ranges::any_of(scopes, [&](ScopeId scope) { return asking_.contains(scope); });
}

Task<void> BudgetBook::wait_for_answers() {
    Signal answered(parts_.loop.executor());
    waiting_.push_back(&answered);
    const Instant give_up = parts_.loop.now() + kPatience;
    while (is_asking() && parts_.loop.now() < give_up)
        co_await answered.wait(give_up - parts_.loop.now());
    std::erase(waiting_, &answered);
}

std::expected<BudgetReservation, Refusal> BudgetBook::reserve(std::span<const ScopeId> scopes,
                                                              Money estimate, WallTime now) {
    const auto reserved = budgets_.reserve(scopes, estimate, now);
    if (reserved) return *reserved;
    if (refused_) refused_(reserved.error());
    return std::unexpected(refusal(reserved.error(), now));
}

void BudgetBook::settle(BudgetReservation id, Money cost, WallTime now) {
    tell(budgets_.settle(id, cost, now));
}

void BudgetBook::tell(const std::vector<ThresholdCrossing>& crossings) {
    for (const ThresholdCrossing& crossing : crossings)
        if (crossed_) crossed_(crossing);
}

Spend BudgetBook::spend(const ScopeInfo& info, WallTime now) {
    const std::vector<BudgetRule> rules = budget_rules(parts_.directory.allowance_of(info));
    if (rules.empty() || info.kind == ScopeKind::end_user) return {.spent = total_of(info)};
    const ScopeId scope = parts_.directory.scope_of(info);
    std::vector<BudgetStatus> budgets = budgets_.status(scope, now);
    if (budgets.empty()) {  // no call has come under it yet
        take_over(scope, now);
        budgets = budgets_.status(scope, now);
    }
    for (size_t i = 0; i < rules.size(); ++i)
        if (!rules[i].duration.empty())
            return {.spent = budgets.at(i).spent, .resets_at = budgets.at(i).window.end};
    return {.spent = budgets.at(0).spent};
}

Money BudgetBook::total_of(const ScopeInfo& info) const {
    if (info.kind == ScopeKind::proxy) return totals_.all();
    if (info.kind == ScopeKind::end_user) return totals_.of(SpendBy::end_user, info.id);
    return totals_.of(spend_by(info.kind), holder_of(info));
}

Refusal BudgetBook::refusal(const BudgetRefusal& refused, WallTime now) const {
    Refusal out{.status = refusal_status_, .type = "budget_exceeded", .may_retry = false};
    out.message = concat("Budget has been exceeded! Current cost: ", shown(refused.spent),
                         ", Max budget: ", shown(refused.limit), " of ",
                         words_for(parts_.directory, refused.scope));
    if (refused.reserved > Money{})
        out.message += concat("; ", shown(refused.reserved), " are reserved by running calls");
    if (refused.resets_at && *refused.resets_at != WallTime{INT64_MAX}) {
        out.message += concat("; it begins anew at ", iso_text(*refused.resets_at));
        out.retry_after = *refused.resets_at - now;
        out.resets_at = refused.resets_at;
    }
    return out;
}

}  // namespace brigada
