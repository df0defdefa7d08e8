// The life of a call: into the gateway's queue, to a replica, and what its client does when it
// fails.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "route/rendezvous.h"
#include "sim/world.h"

namespace brigada {

namespace {

constexpr uint64_t kBodyBytesPerToken = 4;
constexpr Duration kNoUpstreamRetry = Duration::seconds(1);

enum class Noted : uint64_t { routed = 1, queued, refused, answered, given_up, over_limit };

}  // namespace

uint32_t World::new_slot() {
    if (free_slots_.empty()) {
        CHECK(calls_.size() < kSlotMask);
        calls_.emplace_back();
        free_slots_.push_back(static_cast<uint32_t>(calls_.size() - 1));
    }
    const uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    calls_[slot] = {};
    calls_[slot].id = new_id(slot);
    return slot;
}

Call World::call_of(uint32_t slot) const {
    const LiveCall& live = calls_[slot];
    const auto& parent = trace_session(live.session).parent;
    return {.id = CallId{live.id},
            .session = SessionId{live.session + uint64_t{1}},
            .group = parent ? SessionId{parent->session + uint64_t{1}} : SessionId{},
            .model = ModelId{has_pools_ ? live.record.model : 0},
            .keys = sessions_[live.session].prompts.keys(),
            .block_tokens = trace_.block_tokens,
            .prompt_tokens = live.record.prompt_tokens};
}

// --- in -----------------------------------------------------------------------------------------

void World::offer(uint32_t slot) {
    LiveCall& live = calls_[slot];
    if (live.was_interrupted) return interrupted(slot);
    live.sent_number = next_number_++;
    live.was_taken = false;
    if (setup_.clients.timeout != Duration::max())
        events_.add(now_ + setup_.clients.timeout, EventKind::timeout, slot, live.sent_number);
    if (limiter_ && !is_within_limits(slot)) return;
    if (!queue_) return route(slot);
    const Duration longest = setup_.admission->longest_wait;
    const OfferReply reply = queue_->offer(
        {.priority = live.record.priority,
         .tenant = ScopeId{live.record.tenant + uint64_t{1}},
         .bytes = static_cast<int64_t>(live.record.prompt_tokens * kBodyBytesPerToken),
         .deadline = longest == Duration::max() ? Instant::never() : now_ + longest},
        now_);
    note(static_cast<uint64_t>(Noted::queued), static_cast<uint64_t>(reply.verdict));
    if (reply.verdict == OfferReply::Verdict::full) return try_failed(slot, reply.retry_after);
    live.ask = reply.id;
    asks_[reply.id] = slot;
    if (reply.verdict == OfferReply::Verdict::admitted) return route(slot);
    reclaim();
    if (queue_->next_deadline() < queue_deadline_) {
        queue_deadline_ = queue_->next_deadline();
        events_.add(queue_deadline_, EventKind::queue_deadline, 0);
    }
}

/// What the tenant may use, requests and tokens, before anything else.
bool World::is_within_limits(uint32_t slot) {
    LiveCall& live = calls_[slot];
    const ScopeId scope{live.record.tenant + uint64_t{1}};
    const int64_t tokens = int64_t{live.record.prompt_tokens} + live.record.output_tokens;
    const auto rate = limiter_->reserve(std::span(&scope, 1), tokens, now_);
    if (rate) {
        live.rate = *rate;
        return true;
    }
    ++over_limits_;
    note(static_cast<uint64_t>(Noted::over_limit), live.record.tenant);
    if (rate.error().never_fits)
        give_up(slot);
    else
        try_failed(slot, rate.error().retry_after.value_or(kNoUpstreamRetry));
    return false;
}

void World::settle_rate(uint32_t slot, int64_t tokens) {
    LiveCall& live = calls_[slot];
    if (!live.rate) return;
    const RateReservation rate = *std::exchange(live.rate, std::nullopt);
    if (tokens > 0)
        limiter_->settle(rate, tokens);
    else
        limiter_->cancel(rate);
}

void World::queue_deadline() {
    queue_deadline_ = Instant::never();
    apply(queue_->expire(now_));
    if (queue_->next_deadline() == Instant::never()) return;
    queue_deadline_ = queue_->next_deadline();
    events_.add(queue_deadline_, EventKind::queue_deadline, 0);
}

void World::apply(const Moved& moved) {
    for (const AskId id : moved.late) {
        const uint32_t slot = asks_.at(id);
        asks_.erase(id);
        calls_[slot].ask.reset();
        try_failed(slot, kNoUpstreamRetry);
    }
    for (const AskId id : moved.admitted)
        route(asks_.at(id));
}

// Batch calls give way to guaranteed ones that wait; their clients come back.
void World::reclaim() {
    for (const AskId id : queue_->reclaim()) {
        const uint32_t slot = asks_.at(id);
        leave_upstream(slot, Ending::cancelled);
        try_failed(slot, kNoUpstreamRetry);
    }
}

void World::route(uint32_t slot) {
    LiveCall& live = calls_[slot];
    live.id = new_id(slot);
    live.answers_at.reset();
    live.read_at.reset();
    const Call call = call_of(slot);
    const std::optional<Route> route =
        router_.choose(call, eligible_for(live.record.model, eligible_), now_);
    note(static_cast<uint64_t>(Noted::routed), route ? raw(route->upstream) : UINT32_MAX);
    if (!route) return try_failed(slot, kNoUpstreamRetry);
    const uint32_t place = raw(route->upstream);
    if (is_read_elsewhere(live, place)) return read(slot, call, place);
    submit(slot, call, place);
}

std::span<const UpstreamId> World::eligible_for(uint32_t model,
                                                const std::vector<UpstreamId>& among) {
    if (!has_pools_) return among;
    pool_.clear();
    std::ranges::copy_if(among, std::back_inserter(pool_),
                         [&](UpstreamId id) { return places_[raw(id)].kind->serves(model); });
    return pool_;
}

void World::submit(uint32_t slot, const Call& call, uint32_t place) {
    LiveCall& live = calls_[slot];
    const SessionState& state = sessions_[live.session];
    const bool only_reads = live.answers_at.has_value();
    SequenceSpec spec;
    spec.id = SequenceId{live.id};
    spec.prompt = state.prompts.ids();
    spec.prompt_tokens = live.record.prompt_tokens;
    spec.max_new_tokens = only_reads ? 1 : live.record.output_tokens;
    spec.tenant = TenantId{live.record.tenant};
    spec.scope.session = call.session;
    spec.arrival = now_;
    const Kept& kept = kept_of(live);
    if (kept.place == place && kept.life == places_[place].life) {
        spec.cursor = kept.cursor;
        spec.cursor.blocks = std::min(spec.cursor.blocks, state.prompts.shared_blocks());
    }
    catch_up(place);
    live.place = place;
    Lane* const from = live.read_at ? &places_[*live.read_at].out : nullptr;
    const Result<void> taken = places_[place].engine->submit(
        std::move(spec), state.prompts.answer(), now_, call.keys, from);
    if (taken.ok()) {
        live.was_taken = true;
        router_at(place).accepted(call);
        wake_soon(place);
        return;
    }
    if (taken.error().code == Code::exhausted) return not_taken(slot);
    end_at_routers(slot, Ending::failed);
    if (live.record.sent >= Instant() + setup_.warm_up) ++too_large_;
    give_up(slot);  // it fits nowhere: no trying helps
}

/// The replica has no place in its queue.
void World::not_taken(uint32_t slot) {
    end_at_routers(slot, Ending::failed);
    try_failed(slot, kNoUpstreamRetry);
}

/// The place is given back. Where another one only read its prompt, it is that one which failed.
void World::end_at_routers(uint32_t slot, Ending ending) {
    LiveCall& live = calls_[slot];
    if (live.answers_at) readers_->ended(CallId{live.id}, ending, std::nullopt, now_);
    router_.ended(CallId{live.id}, live.answers_at ? Ending::cancelled : ending, std::nullopt,
                  now_);
    live.place.reset();
    live.answers_at.reset();
    live.read_at.reset();
    live.has_first_token = false;
}

// --- out ----------------------------------------------------------------------------------------

void World::first_token(uint32_t slot, const VirtualReplica::FirstToken& first) {
    LiveCall& live = calls_[slot];
    SimCall& record = live.record;
    if (!live.read_at) {
        record.cached_tokens = first.cached_tokens;
        record.loaded = first.loaded;
    }
    if (live.answers_at) return readers_->first_token(CallId{live.id}, now_);
    live.has_first_token = true;
    live.cached_here =
        first.cached_tokens - std::min(first.cached_tokens, first.loaded.remote_tokens);
    record.first = now_;
    record.loaded.remote_tokens = first.loaded.remote_tokens;
    record.loaded.transfer = first.loaded.transfer;
    record.read_elsewhere = live.read_at.has_value();
    router_.first_token(CallId{live.id}, now_);
    if (live.ask) queue_->streaming(*live.ask);
}

void World::answered(uint32_t slot, const KvCursor& cursor) {
    LiveCall& live = calls_[slot];
    if (live.answers_at) return prompt_read(slot, cursor);
    SimCall& record = live.record;
    record.ended = now_;
    const CallReport told =
        router_.ended(CallId{live.id}, Ending::answered,
                      ReportedPrompt{record.prompt_tokens, live.cached_here}, now_);
    if (!live.read_at) take_cause(record, told);
    note(static_cast<uint64_t>(Noted::answered), mix(live.id, record.cached_tokens));
    kept_of(live) = {cursor, *live.place, places_[*live.place].life};
    settle_rate(slot, int64_t{record.prompt_tokens} + record.output_tokens);
    over(slot);
}

/// The place at its upstream is given back, where it has one.
void World::leave_upstream(uint32_t slot, Ending ending) {
    LiveCall& live = calls_[slot];
    if (!live.place) return;
    const uint32_t place = *live.place;
    end_at_routers(slot, ending);
    if (places_[place].engine) {
        catch_up(place);
        places_[place].engine->cancel(SequenceId{live.id}, now_);
        wake_soon(place);
    }
}

void World::leave_queue(uint32_t slot) {
    LiveCall& live = calls_[slot];
    if (!live.ask) return;
    const AskId ask = *std::exchange(live.ask, std::nullopt);
    asks_.erase(ask);
    apply(queue_->finish(ask, now_));
}

void World::time_out(uint32_t slot) {
    leave_line(slot);
    leave_upstream(slot, Ending::cancelled);
    try_failed(slot, std::nullopt);
}

/// The client does not wait in the gateway's queue any more.
void World::leave_line(uint32_t slot) {
    LiveCall& live = calls_[slot];
    const bool waits = live.ask && !live.place;
    if (waits) {
        asks_.erase(*live.ask);
        queue_->give_up(*std::exchange(live.ask, std::nullopt));
    }
}

void World::try_failed(uint32_t slot, std::optional<Duration> retry_after) {
    leave_queue(slot);
    LiveCall& live = calls_[slot];
    settle_rate(slot, live.was_taken ? live.record.prompt_tokens : 0);
    note(static_cast<uint64_t>(Noted::refused), live.id);
    live.sent_number = 0;
    if (live.tries++ >= setup_.clients.retries) return give_up(slot);
    ++retries_;
    events_.add(now_ + delay_before(live, retry_after), EventKind::send, live.session,
                uint64_t{slot} + 1);
}

// Chance is a hash of who asks, so that one session more does not change what others draw.
Duration World::delay_before(const LiveCall& call, std::optional<Duration> retry_after) const {
    const ClientRules& rules = setup_.clients;
    if (retry_after && *retry_after > Duration() && *retry_after <= rules.longest_retry_after)
        return *retry_after;
    Duration delay = rules.first_delay;
    for (uint32_t i = 1; i < call.tries && delay < rules.longest_delay; ++i)
        delay = delay * 2;
    delay = std::min(delay, rules.longest_delay);
    const uint64_t chance =
        mix(mix(setup_.seed, call.session), mix(call.record.call, call.tries)) % 1'000;
    return delay - delay * static_cast<int64_t>(chance) / 4'000;
}

void World::give_up(uint32_t slot) {
    LiveCall& live = calls_[slot];
    live.record.failed = true;
    live.record.ended = now_;
    note(static_cast<uint64_t>(Noted::given_up), live.id);
    over(slot);
}

void World::over(uint32_t slot) {
    const uint32_t session = calls_[slot].session;
    close(slot);
    call_over(session);
}

void World::close(uint32_t slot) {
    LiveCall& live = calls_[slot];
    if (live.record.sent >= Instant() + setup_.warm_up) records_.push_back(live.record);
    settle_rate(slot, 0);
    leave_queue(slot);
    calls_[slot] = {};
    free_slots_.push_back(slot);
}

}  // namespace brigada
