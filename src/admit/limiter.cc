#include "admit/limiter.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace brigada {
namespace {

// More than any call has: 10^12. Upstreams report counts, and garbage must not overflow a sum.
constexpr int64_t kMostTokens = int64_t{1} << 40;

std::optional<RateRefusal> refuse_by_window(LimitKind kind, const SlidingWindow& window,
                                            int64_t amount, std::optional<int64_t> limit,
                                            Instant now) {
    if (!limit) return std::nullopt;
    const int64_t left = *limit - window.used(now);
    if (amount <= left) return std::nullopt;
    RateRefusal refusal{.kind = kind, .limit = *limit, .remaining = std::max<int64_t>(left, 0)};
    const std::optional<Instant> room = window.when_room(amount, *limit, now);
    refusal.never_fits = !room;
    if (room) refusal.retry_after = *room - now;
    return refusal;
}

std::optional<RateRefusal> refuse_by_concurrency(int64_t running, std::optional<int64_t> limit) {
    if (!limit || running < *limit) return std::nullopt;
    return RateRefusal{.kind = LimitKind::concurrency, .limit = *limit, .never_fits = *limit <= 0};
}

Duration wait_of(const RateRefusal& refusal) {
    return refusal.never_fits ? Duration::max() : refusal.retry_after.value_or(Duration());
}

/// Keeps the one with the longer wait in `worst`; the earlier one of equals.
void keep_worst(std::optional<RateRefusal>& worst, const std::optional<RateRefusal>& other) {
    if (other && (!worst || wait_of(*other) > wait_of(*worst))) worst = other;
}

void keep_narrowest(std::optional<Room>& narrowest, const SlidingWindow& window,
                    std::optional<int64_t> limit, Instant now) {
    if (!limit) return;
    const Room room{.limit = *limit,
                    .remaining = std::max<int64_t>(*limit - window.used(now), 0),
                    .reset = window.empty_at(now) - now};
    if (!narrowest || room.remaining < narrowest->remaining) narrowest = room;
}

}  // namespace

void Limiter::set_limits(ScopeId scope, const Limits& limits) {
    const auto [place, is_new] = scopes_.try_emplace(scope);
    if (is_new) sweep_order_.push_back(scope);
    place->second.id = scope;
    place->second.limits = limits;
}

std::expected<RateReservation, RateRefusal> Limiter::reserve(std::span<const ScopeId> scopes,
                                                             int64_t tokens, Instant now) {
    CHECK(tokens >= 0);
    tokens = std::min(tokens, kMostTokens);
    std::vector<Hold> holds = find(scopes);
    std::optional<RateRefusal> worst;
    for (const Hold& hold : holds)
        keep_worst(worst, refusal(*hold.scope, tokens, now));
    if (worst) return std::unexpected(*worst);
    for (Hold& hold : holds) {
        hold.request = hold.scope->requests.add(1, now);
        hold.tokens = hold.scope->tokens.add(tokens, now);
        ++hold.scope->running;
    }
    const RateReservation id{next_id_++};
    reservations_.emplace(id, Reservation{tokens, std::move(holds)});
    return id;
}

std::optional<RateRefusal> Limiter::refusal(const Scope& scope, int64_t tokens, Instant now) {
    const Limits& limits = scope.limits;
    std::optional<RateRefusal> worst;
    keep_worst(worst, refuse_by_window(LimitKind::requests, scope.requests, 1,
                                       limits.requests_per_minute, now));
    keep_worst(worst, refuse_by_window(LimitKind::tokens, scope.tokens, tokens,
                                       limits.tokens_per_minute, now));
    keep_worst(worst, refuse_by_concurrency(scope.running, limits.concurrent));
    if (worst) worst->scope = scope.id;
    return worst;
}

std::vector<Limiter::Hold> Limiter::find(std::span<const ScopeId> scopes) {
    std::vector<Hold> holds;
    holds.reserve(scopes.size());
    for (const ScopeId scope : scopes)
        if (const auto known = scopes_.find(scope); known != scopes_.end())
            holds.push_back({&known->second});
    return holds;
}

void Limiter::settle(RateReservation id, int64_t tokens) {
    CHECK(tokens >= 0);
    const Reservation reservation = take_out(id);
    for (const Hold& hold : reservation.holds)
        hold.scope->tokens.change(hold.tokens, std::min(tokens, kMostTokens) - reservation.tokens);
}

void Limiter::cancel(RateReservation id) {
    const Reservation reservation = take_out(id);
    for (const Hold& hold : reservation.holds) {
        hold.scope->requests.change(hold.request, -1);
        hold.scope->tokens.change(hold.tokens, -reservation.tokens);
    }
}

Limiter::Reservation Limiter::take_out(RateReservation id) {
    auto node = reservations_.extract(id);
    CHECK(!node.empty(), "reservation ", raw(id), " is not open");
    for (const Hold& hold : node.mapped().holds)
        --hold.scope->running;
    return std::move(node.mapped());
}

Headroom Limiter::headroom(std::span<const ScopeId> scopes, Instant now) const {
    Headroom headroom;
    for (const ScopeId id : scopes) {
        const auto known = scopes_.find(id);
        if (known == scopes_.end()) continue;
        const Scope& scope = known->second;
        keep_narrowest(headroom.requests, scope.requests, scope.limits.requests_per_minute, now);
        keep_narrowest(headroom.tokens, scope.tokens, scope.limits.tokens_per_minute, now);
    }
    return headroom;
}

void Limiter::sweep(Instant now, size_t looks) {
    for (; looks > 0 && !sweep_order_.empty(); --looks) {
        if (sweep_next_ >= sweep_order_.size()) sweep_next_ = 0;
        Scope& scope = scopes_.at(sweep_order_[sweep_next_]);
        const bool no_requests = scope.requests.trim(now);
        const bool no_tokens = scope.tokens.trim(now);
        if (no_requests && no_tokens && scope.running == 0 && scope.limits.none()) {
            scopes_.erase(scope.id);
            sweep_order_[sweep_next_] = sweep_order_.back();
            sweep_order_.pop_back();
        } else {
            ++sweep_next_;
        }
    }
}

void Limiter::check() const {
    std::map<const Scope*, int64_t> running;
    for (const auto& [id, reservation] : reservations_) {
        CHECK(raw(id) < next_id_ && reservation.tokens >= 0);
        for (const Hold& hold : reservation.holds)
            ++running[hold.scope];
    }
    for (const auto& [id, scope] : scopes_) {
        const auto named = running.find(&scope);
        const int64_t holds = named == running.end() ? 0 : named->second;
        CHECK(scope.id == id && scope.running == holds, "scope ", raw(id));
        scope.requests.check();
        scope.tokens.check();
        running.erase(&scope);
    }
    CHECK(running.empty(), "a reservation holds a scope that was forgotten");
    std::vector<ScopeId> order = sweep_order_;
    std::ranges::sort(order);
    CHECK(std::ranges::adjacent_find(order) == order.end() && order.size() == scopes_.size());
    CHECK(std::ranges::all_of(order, [&](ScopeId id) { return scopes_.contains(id); }));
}

}  // namespace brigada
