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

/// Whether a call that was refused here as too large fits under the limit of all replicas.
bool fits_whole(const RateRefusal& refusal, const Limits& limits, int64_t tokens) {
    switch (refusal.kind) {
        case LimitKind::requests:
            return limits.requests_per_minute.value_or(0) >= 1;
        case LimitKind::tokens:
            return limits.tokens_per_minute.value_or(0) >= tokens;
        case LimitKind::concurrency:
            return limits.concurrent.value_or(0) >= 1;
    }
    return false;
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

Limits Limiter::limits(ScopeId scope) const {
    const auto known = scopes_.find(scope);
    return known == scopes_.end() ? Limits{} : known->second.limits;
}

std::expected<RateReservation, RateRefusal> Limiter::reserve(std::span<const ScopeId> scopes,
                                                             int64_t tokens, Instant now) {
    CHECK(tokens >= 0);
    tokens = std::min(tokens, kMostTokens);
    std::vector<Hold> holds = find(scopes);
    std::optional<RateRefusal> worst;
    for (const Hold& hold : holds) {
        if (alone_) look_back(*hold.scope);
        keep_worst(worst, refusal(*hold.scope, tokens, now));
    }
    if (worst) return std::unexpected(*worst);
    return take(std::move(holds), tokens, now);
}

RateReservation Limiter::take(std::span<const ScopeId> scopes, int64_t tokens, Instant now) {
    CHECK(tokens >= 0);
    return take(find(scopes), std::min(tokens, kMostTokens), now);
}

RateReservation Limiter::take(std::vector<Hold> holds, int64_t tokens, Instant now) {
    for (Hold& hold : holds) {
        hold.request = hold.scope->requests.add(1, now);
        hold.tokens = hold.scope->tokens.add(tokens, now);
        ++hold.scope->running;
    }
    const RateReservation id{next_id_++};
    reservations_.emplace(id, Reservation{tokens, std::move(holds)});
    return id;
}

std::optional<RateRefusal> Limiter::refusal(const Scope& scope, int64_t tokens, Instant now) const {
    const Limits limits = in_force(scope, now);
    std::optional<RateRefusal> worst;
    keep_worst(worst, refuse_by_window(LimitKind::requests, scope.requests, 1,
                                       limits.requests_per_minute, now));
    keep_worst(worst, refuse_by_window(LimitKind::tokens, scope.tokens, tokens,
                                       limits.tokens_per_minute, now));
    keep_worst(worst, refuse_by_concurrency(scope.running, limits.concurrent));
    if (!worst) return std::nullopt;
    worst->scope = scope.id;
    // Over what this replica may use now is not over the limit: wait until its share is its own.
    if (alone_ && worst->never_fits && fits_whole(*worst, scope.limits, tokens)) {
        worst->never_fits = false;
        worst->retry_after = std::max(alone_->settled - now, Duration::seconds(1));
    }
    return worst;
}

// --- alone --------------------------------------------------------------------------------------

// Who was turned away at the door lost nothing new: what it has used since must not count as what
// it had.
void Limiter::set_alone(const std::optional<Alone>& alone) {
    alone_ = alone;
    if (!alone || alone->lost == last_lost_) return;
    last_lost_ = alone->lost;
    ++losses_;
}

// Nothing was counted here since the loss, or it would have been looked up then.
void Limiter::look_back(Scope& scope) const {
    if (scope.loss == losses_) return;
    scope.loss = losses_;
    scope.requests_when_lost = scope.requests.used(alone_->lost);
    scope.tokens_when_lost = scope.tokens.used(alone_->lost);
    scope.running_when_lost = scope.running;
}

Limits Limiter::in_force(const Scope& scope, Instant now) const {
    Limits limits = scope.limits;
    if (!alone_) return limits;
    const bool looked = scope.loss == losses_;
    const auto hold_to = [&](std::optional<int64_t>& limit, int64_t used_when_lost) {
        if (limit) limit = alone_->cap(*limit, looked ? used_when_lost : 0, now);
    };
    hold_to(limits.requests_per_minute, scope.requests_when_lost);
    hold_to(limits.tokens_per_minute, scope.tokens_when_lost);
    hold_to(limits.concurrent, scope.running_when_lost);
    return limits;
}

Limiter::Use Limiter::use(ScopeId scope, Instant now) const {
    Use use;
    const auto known = scopes_.find(scope);
    if (known == scopes_.end()) return use;
    use.running = known->second.running;
    // A call counts in both at the same instant, so their slots are the same.
    const auto requests = known->second.requests.counted(now);
    const auto tokens = known->second.tokens.counted(now);
    CHECK(requests.size() == tokens.size());
    for (size_t i = 0; i < requests.size(); ++i)
        use.entries.push_back({now - requests[i].last, requests[i].amount, tokens[i].amount});
    return use;
}

std::vector<ScopeId> Limiter::in_use() const {
    std::vector<ScopeId> out;
    for (const auto& [id, scope] : scopes_)
        if (scope.running > 0 || scope.requests.slots() > 0) out.push_back(id);
    std::ranges::sort(out);
    return out;
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
        const Limits limits = in_force(scope, now);
        keep_narrowest(headroom.requests, scope.requests, limits.requests_per_minute, now);
        keep_narrowest(headroom.tokens, scope.tokens, limits.tokens_per_minute, now);
    }
    return headroom;
}

void Limiter::sweep(Instant now, size_t looks) {
    for (; looks > 0 && !sweep_order_.empty(); --looks) {
        if (sweep_next_ >= sweep_order_.size()) sweep_next_ = 0;
        Scope& scope = scopes_.at(sweep_order_[sweep_next_]);
        if (alone_) look_back(scope);  // before what it needs is given back
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
