// Admission with other replicas: what is asked of the books they share, and what is told to them.
#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "gateway/admission.h"
#include "gateway/scope_words.h"

namespace brigada {

namespace {

void keep_narrowest(std::optional<Room>& narrowest, std::optional<int64_t> limit, int64_t used) {
    if (!limit) return;
    const Room room{.limit = *limit,
                    .remaining = std::max<int64_t>(*limit - used, 0),
                    .reset = SlidingWindow::kSpan};  // this very call is the last to leave
    if (!narrowest || room.remaining < narrowest->remaining) narrowest = room;
}

void escape(std::string_view text, std::string& out) {
    for (const char c : text) {
        if (c == ':' || c == '%')
            out += concat("%", static_cast<int>(c));
        else
            out += c;
    }
}

/// The same on every replica, as its ScopeId is not: "team::red:", "key::b2c3:model".
std::string shared_name(const ScopeInfo& info) {
    std::string out(to_string(info.kind));
    for (const std::string* part : {&info.owner, &info.id, &info.model}) {
        out += ':';
        escape(*part, out);
    }
    return out;
}

}  // namespace

// --- asked --------------------------------------------------------------------------------------

SharedCall Admission::shared_call(const std::vector<ScopeId>& scopes, Estimate estimate,
                                  std::vector<size_t>& which) {
    SharedCall call{.tokens = estimate.tokens, .cost = estimate.cost, .scopes = {}};
    for (size_t i = 0; i < scopes.size(); ++i) {
        const ScopeInfo* info = directory_.describe(scopes[i]);
        const Limits limits = limiter_.limits(scopes[i]);
        std::vector<SharedBudget> budgets = budgets_.counts().shared(scopes[i], WallClock().now());
        if (info == nullptr || (limits.none() && budgets.empty())) continue;
        call.scopes.push_back({shared_name(*info), limits, std::move(budgets)});
        which.push_back(i);
    }
    return call;
}

/// What the books say; nothing when this replica must decide, or nothing limits the call.
Task<std::optional<Admission::Outcome>> Admission::ask(const std::vector<ScopeId>& scopes,
                                                       Estimate estimate, WallTime wall) {
    std::vector<size_t> which;
    const SharedCall call = shared_call(scopes, estimate, which);
    if (call.scopes.empty()) co_return std::nullopt;
    std::optional<Outcome> outcome;
    bool answered = false;
    Signal came(loop_.executor());
    books_->admit(call, [&](const SharedAnswer* answer) {
        if (answer) outcome = take(scopes, estimate, call, which, *answer, wall);
        answered = true;
        came.notify();
    });
    while (!answered)
        co_await came.wait();
    co_return std::move(outcome);
}

Admission::Outcome Admission::take(const std::vector<ScopeId>& scopes, Estimate estimate,
                                   const SharedCall& call, const std::vector<size_t>& which,
                                   const SharedAnswer& answer, WallTime wall) {
    if (!answer.budgets.empty())
        return std::unexpected(refusal(answer.budgets, scopes, call, which, wall));
    if (answer.rate) {
        RateRefusal refused = *answer.rate;
        refused.scope = scopes[which[answer.rate_scope]];
        return std::unexpected(refusal(refused));
    }
    Hold hold(*this, scopes, estimate, limiter_.take(scopes, estimate.tokens, loop_.now()),
              budgets_.counts().take(scopes, estimate.cost));
    hold.together_ = std::make_unique<Hold::Together>();
    hold.together_->edition = books_->edition();
    hold.together_->entries.assign(scopes.size(), -1);
    for (size_t i = 0; i < which.size(); ++i) {
        const ScopeTotal& total = answer.totals[i];
        const SharedScope& scope = call.scopes[i];
        hold.together_->entries[which[i]] = total.entry;
        see(scopes[which[i]], scope.budgets, total, {});
        Headroom& room = hold.together_->room;
        keep_narrowest(room.requests, scope.limits.requests_per_minute, total.requests);
        keep_narrowest(room.tokens, scope.limits.tokens_per_minute, total.tokens);
    }
    return hold;
}

Refusal Admission::refusal(const std::vector<OverBudget>& over, const std::vector<ScopeId>& scopes,
                           const SharedCall& call, const std::vector<size_t>& which,
                           WallTime wall) const {
    const auto budget = [&](const OverBudget& each) -> const SharedBudget& {
        return call.scopes[each.scope].budgets[each.budget];
    };
    const OverBudget& worst = *std::ranges::max_element(
        over, {}, [&](const OverBudget& each) { return budget(each).end; });
    BudgetRefusal refused{.scope = scopes[which[worst.scope]],
                          .budget = worst.budget,
                          .limit = budget(worst).limit,
                          .spent = worst.spent,
                          .reserved = worst.reserved};
    refused.resets_at = budget(worst).end;
    return budgets_.refusal(refused, wall);
}

void Admission::see(ScopeId scope, const std::vector<SharedBudget>& budgets,
                    const ScopeTotal& total, Money cost) {
    for (size_t i = 0; i < budgets.size(); ++i)
        budgets_.tell(budgets_.counts().see(scope, i, budgets[i].window, total.budgets[i].earlier,
                                            total.budgets[i].since, total.others_reserved, cost));
}

// --- told ---------------------------------------------------------------------------------------

void Admission::give_back(const Hold& hold) {
    limiter_.cancel(hold.rate_);
    budgets_.cancel(hold.budget_);
    if (!books_) return;
    if (!books_->decides()) return books_->tell(hold.scopes_);
    tell_end(hold,
             {.requests = -1,
              .tokens = -hold.estimate_.tokens,
              .reserved = hold.estimate_.cost,
              .cost = {},
              .scopes = {}},
             WallClock().now());
}

void Admission::settle(const Hold& hold, int64_t tokens, Money cost, WallTime now) {
    limiter_.settle(hold.rate_, tokens);
    if (!books_ || !books_->decides()) {
        budgets_.settle(hold.budget_, cost, now);
        if (books_) books_->tell(hold.scopes_);
        return;
    }
    budgets_.counts().settle_quietly(hold.budget_, cost, now);
    tell_end(hold,
             {.requests = 0,
              .tokens = tokens - hold.estimate_.tokens,
              .reserved = hold.estimate_.cost,
              .cost = cost,
              .scopes = {}},
             now);
}

void Admission::tell_end(const Hold& hold, SharedEnd end, WallTime now) {
    const bool is_known = hold.together_ && hold.together_->edition == books_->edition();
    std::vector<ScopeId> told;
    for (size_t i = 0; i < hold.scopes_.size(); ++i) {
        const ScopeId scope = hold.scopes_[i];
        const ScopeInfo* info = directory_.describe(scope);
        std::vector<SharedBudget> budgets = budgets_.counts().shared(scope, now);
        if (info == nullptr || (limiter_.limits(scope).none() && budgets.empty())) continue;
        end.scopes.push_back(
            {shared_name(*info), is_known ? hold.together_->entries[i] : -1, std::move(budgets)});
        told.push_back(scope);
    }
    if (told.empty()) return;
    std::vector<std::vector<SharedBudget>> budgets;
    for (const SharedEnd::Scope& scope : end.scopes)
        budgets.push_back(scope.budgets);
    const Money cost = end.cost;
    books_->finish(
        std::move(end), told,
        [this, told, cost, budgets = std::move(budgets)](const std::vector<ScopeTotal>& totals) {
            for (size_t i = 0; i < totals.size(); ++i)
                see(told[i], budgets[i], totals[i], cost);
        });
}

std::vector<ScopeId> Admission::in_use() {
    std::vector<ScopeId> out = limiter_.in_use();
    const std::vector<ScopeId> spending = budgets_.counts().in_use();
    out.insert(out.end(), spending.begin(), spending.end());
    return out;
}

std::optional<SharedUse> Admission::use_of(ScopeId scope) {
    const ScopeInfo* info = directory_.describe(scope);
    std::vector<SharedBudget> budgets = budgets_.counts().shared(scope, WallClock().now());
    if (info == nullptr || (limiter_.limits(scope).none() && budgets.empty())) return std::nullopt;
    return SharedUse{.name = shared_name(*info),
                     .use = limiter_.use(scope, loop_.now()),
                     .reserved = budgets_.counts().reserved(scope),
                     .budgets = std::move(budgets)};
}

void Admission::decide(const std::optional<Alone>& alone) {
    is_alone_ = alone.has_value();
    limiter_.set_alone(alone);
    budgets_.counts().set_alone(alone);
}

}  // namespace brigada
