#include "gateway/admission.h"

#include <algorithm>

#include "base/concat.h"
#include "gateway/scope_words.h"

namespace brigada {

namespace {

/// So many scopes are looked at for each call, so that what nobody uses any more is forgotten.
constexpr size_t kSweptPerCall = 4;

std::string_view unit(LimitKind kind) {
    switch (kind) {
        case LimitKind::requests:
            return "requests per minute";
        case LimitKind::tokens:
            return "tokens per minute";
        case LimitKind::concurrency:
            return "calls at once";
    }
    return "";
}

struct RoomNames {
    std::string_view limit, remaining, reset;
};
constexpr RoomNames kRequests{"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
                              "x-ratelimit-reset-requests"};
constexpr RoomNames kTokens{"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens",
                            "x-ratelimit-reset-tokens"};

void add_room(const RoomNames& names, const std::optional<Room>& room, HttpHeaders& headers) {
    if (!room) return;
    headers.add(names.limit, std::to_string(room->limit));
    headers.add(names.remaining, std::to_string(std::max<int64_t>(room->remaining, 0)));
    headers.add(names.reset, std::to_string((room->reset.ms() + 999) / 1000) + "s");
}

}  // namespace

Admission::Hold& Admission::Hold::operator=(Hold&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(scopes_, other.scopes_);
    std::swap(estimate_, other.estimate_);
    std::swap(rate_, other.rate_);
    std::swap(budget_, other.budget_);
    std::swap(together_, other.together_);
    return *this;
}

Admission::Hold::~Hold() {
    if (from_) from_->give_back(*this);
}

void Admission::Hold::settle(int64_t tokens, Money cost, WallTime now) {
    if (Admission* from = std::exchange(from_, nullptr)) from->settle(*this, tokens, cost, now);
}

Task<std::expected<Admission::Hold, Refusal>> Admission::reserve(const Caller& caller,
                                                                 std::string_view model,
                                                                 std::string_view end_user,
                                                                 Estimate estimate, WallTime wall) {
    std::vector<ScopeId> scopes = directory_.scopes(caller, model, end_user);
    take_over_changes(wall);
    if (budgets_.is_asking_for(scopes)) co_await budgets_.wait_for_answers();
    limiter_.sweep(loop_.now(), kSweptPerCall);
    if (books_ && books_->decides())
        if (auto outcome = co_await ask(scopes, estimate, wall)) co_return std::move(*outcome);
    co_return reserve_here(std::move(scopes), estimate, wall);
}

Admission::Outcome Admission::reserve_here(std::vector<ScopeId> scopes, Estimate estimate,
                                           WallTime wall) {
    const auto budget = budgets_.reserve(scopes, estimate.cost, wall);
    if (!budget) return std::unexpected(budget.error());
    const auto rate = limiter_.reserve(scopes, estimate.tokens, loop_.now());
    if (rate) {
        if (books_) books_->tell(scopes);
        return Hold(*this, std::move(scopes), estimate, *rate, *budget);
    }
    budgets_.cancel(*budget);
    return std::unexpected(refusal(rate.error()));
}

void Admission::add_headroom(const Hold& hold, Instant now, HttpHeaders& headers) const {
    const Headroom room =
        hold.together_ ? hold.together_->room : limiter_.headroom(hold.scopes_, now);
    add_room(kRequests, room.requests, headers);
    add_room(kTokens, room.tokens, headers);
}

void Admission::take_over_changes(WallTime now) {
    for (const ScopeId scope : directory_.take_stale_scopes()) {
        const bool is_there = directory_.describe(scope) != nullptr;
        const RateLimits limits = is_there ? directory_.limits_of(scope) : RateLimits{};
        limiter_.set_limits(scope, {.requests_per_minute = limits.requests_per_minute,
                                    .tokens_per_minute = limits.tokens_per_minute,
                                    .concurrent = limits.concurrent});
        budgets_.take_over(scope, now);
    }
}

Refusal Admission::refusal(const RateRefusal& refused) const {
    Refusal out{.status = 429, .type = "rate_limit_error"};
    out.message =
        concat("Rate limit: ", words_for(directory_, refused.scope), " may use ", refused.limit,
               " ", unit(refused.kind), "; ", std::max<int64_t>(refused.remaining, 0), " are left");
    if (is_alone_)
        out.message += concat(". That is this gateway's share, one of ", books_->replicas(),
                              ": it can't count with the others (", books_->state(), ")");
    if (refused.never_fits) {
        out.message += ". This call alone is larger than the limit";
        out.may_retry = false;
    } else {
        out.retry_after = refused.retry_after.value_or(Duration::seconds(1));
    }
    return out;
}

}  // namespace brigada
