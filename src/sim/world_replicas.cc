// Replicas of the world: their steps, their comings and goings, and the autoscaler.
#include <algorithm>

#include "base/check.h"
#include "base/concat.h"
#include "base/fnv.h"
#include "route/rendezvous.h"
#include "sim/world.h"

namespace brigada {

namespace {

constexpr uint64_t kTypicalContext = 32'768;
constexpr uint64_t kTypicalBatch = 16;

/// What a gateway would be told of such a replica, at a typical agent's context.
UpstreamFacts facts_of(const SimReplica& kind, const SimLink& link, uint32_t place,
                       uint32_t block_tokens) {
    StepShape chunk;
    chunk.add_chunk(kTypicalContext, kind.scheduler.step_tokens);
    StepShape one;
    one.add_decode(kTypicalContext);
    StepShape batch;
    for (uint64_t i = 0; i < kTypicalBatch; ++i)
        batch.add_decode(kTypicalContext);
    double per_s = kind.scheduler.step_tokens / kind.cost.time(chunk).seconds();
    if (kind.role == ReplicaRole::decode) per_s = link.bytes_per_s / kind.kv_bytes_per_token;
    const SpeculativeCost cost(kind.cost, kind.speculation, kind.scheduler.step_tokens);
    const Duration alone = cost.time(one);
    const Duration peers = cost.time(batch) - alone;
    uint64_t kv_tokens = kind.kv_tokens;
    if (kind.tiers.any())
        kv_tokens += static_cast<uint64_t>(
            static_cast<double>(kind.tiers.ram_bytes + kind.tiers.disk_bytes) /
            kind.kv_bytes_per_token);
    return {.name = mix(fnv1a64(kind.name), place),
            .prefill_tokens_per_s = std::max<int64_t>(1, static_cast<int64_t>(per_s)),
            .decode_per_token = alone,
            .decode_per_peer = peers / static_cast<int64_t>(kTypicalBatch - 1),
            .kv_blocks = static_cast<uint32_t>(kv_tokens / block_tokens)};
}

void add(SchedulerStats& sum, const SchedulerStats& more) {
    sum.preemptions += more.preemptions;
    sum.steps += more.steps;
}

void add(KvStats& sum, const KvStats& more) {
    sum.evicted_blocks += more.evicted_blocks;
    sum.reread += more.reread;
}

void add(KvLoadStats& sum, const KvLoadStats& more) {
    sum.from_ram += more.from_ram;
    sum.from_disk += more.from_disk;
    sum.remote_bytes += more.remote_bytes;
    sum.tiers.to_ram += more.tiers.to_ram;
    sum.tiers.to_disk += more.tiers.to_disk;
    sum.tiers.dropped += more.tiers.dropped;
    sum.not_reread_tokens += more.not_reread_tokens;
}

}  // namespace

// --- steps --------------------------------------------------------------------------------------

void World::wake_soon(uint32_t place) {
    Place& here = places_[place];
    if (here.wakes || !here.engine || here.engine->computes()) return;
    here.wakes = true;
    events_.add(now_, EventKind::wake, place);
}

void World::wake(uint32_t place) {
    Place& here = places_[place];
    here.wakes = false;
    if (!here.engine) return;
    if (const auto end = here.engine->begin(now_))
        events_.add(*end, EventKind::steps_end, place, ++here.version);
    else if (here.presence == Presence::draining && setup_.autoscaler && here.engine->idle())
        return retire(place);
    else if (here.presence == Presence::draining && rolling_ == place && here.engine->idle())
        return restart(place);  // whom an operator drained waits to be brought back
    await_loads(place);
}

void World::catch_up(uint32_t place) {
    Place& here = places_[place];
    if (!here.engine->catch_up(now_)) return;
    ++here.version;
    if (here.engine->computes())
        events_.add(here.engine->ends(), EventKind::steps_end, place, here.version);
    else
        wake_soon(place);
}

void World::await_loads(uint32_t place) {
    Place& here = places_[place];
    const Instant end = here.engine->loads_end();
    if (end >= here.loads_end) return;
    here.loads_end = end;
    events_.add(end, EventKind::loads_end, place, here.life);
}

void World::loads_end(uint32_t place) {
    Place& here = places_[place];
    if (!here.engine) return;
    here.loads_end = Instant::never();
    catch_up(place);
    for (const SequenceId id : here.engine->end_loads(now_))
        not_taken(slot_of(id));
    await_loads(place);
    wake_soon(place);
}

void World::steps_end(uint32_t place) {
    const VirtualReplica::StepsDone& done = places_[place].engine->end(now_);
    if (observer_) {
        SimObserver::Steps steps = done.steps;
        steps.replica = place;
        observer_->computed(steps);
    }
    for (const VirtualReplica::FirstToken& first : done.first_tokens)
        first_token(slot_of(first.sequence), first);
    const std::vector<Finished> finished = done.finished;  // a copy: answers may start new work
    for (const Finished& one : finished)
        answered(slot_of(one.sequence), one.cursor);
    wake_soon(place);
}

// --- coming and going ---------------------------------------------------------------------------

void World::fault(const SimFault& fault) {
    const FaultKind kind = fault.kind;
    note(static_cast<uint64_t>(kind), fault.replica);
    if (kind == FaultKind::lost) lose(fault.replica);
    if (kind == FaultKind::drained) drain(fault.replica);
    if (kind == FaultKind::back) start(fault.replica);
}

void World::start(uint32_t place) {
    Place& here = places_[place];
    if (here.presence == Presence::serving) return;
    if (!here.engine) {
        here.engine = std::make_unique<VirtualReplica>(*here.kind, trace_.block_tokens,
                                                       setup_.step_by_step, setup_.link);
        ++here.version;
        if (here.life++ == 0 || setup_.autoscaler)
            router_at(place).add(UpstreamId{place},
                                 facts_of(*here.kind, setup_.link, place, trace_.block_tokens));
        else
            router_at(place).restarted(UpstreamId{place});
    }
    if (!here.is_paid) here.paid_since = now_;
    here.is_paid = true;
    here.presence = Presence::serving;
    const UpstreamId id{place};
    std::vector<UpstreamId>& eligible = eligible_at(place);
    eligible.insert(std::ranges::lower_bound(eligible, id), id);
    if (setup_.autoscaler && starting_ > 0) --starting_;
    tell(place, "serves");
}

/// Calls that had no token yet are sent elsewhere by the gateway; of the others the client sees a
/// broken answer.
void World::lose(uint32_t place) {
    Place& here = places_[place];
    if (!here.engine) return;
    catch_up(place);
    tell(place, "lost");
    if (rolling_ == place)
        restart(place);
    else
        retire(place);
    std::vector<uint32_t> slots;
    for (uint32_t slot = 0; slot < calls_.size(); ++slot)
        if (calls_[slot].id != 0 && calls_[slot].place == place) slots.push_back(slot);
    std::ranges::sort(slots, {}, [&](uint32_t slot) { return calls_[slot].id; });
    for (const uint32_t slot : slots) {
        const bool had_begun = calls_[slot].has_first_token;  // as its client sees it
        leave_upstream(slot, Ending::failed);
        if (had_begun)
            try_failed(slot, std::nullopt);
        else
            route(slot);
    }
}

void World::drain(uint32_t place) {
    Place& here = places_[place];
    if (here.presence != Presence::serving) return;
    here.presence = Presence::draining;
    std::erase(eligible_at(place), UpstreamId{place});
    tell(place, "drained");
}

// The engine is gone; its counts stay.
void World::retire(uint32_t place) {
    Place& here = places_[place];
    std::erase(eligible_at(place), UpstreamId{place});
    if (setup_.autoscaler) router_.remove(UpstreamId{place});
    count_in(here);
    note(here.engine->scheduler().digest(), place);
    here.engine.reset();
    here.loads_end = Instant::never();
    here.presence = Presence::gone;
    ++here.version;
    if (!setup_.autoscaler) return;  // a machine that failed is still paid for
    here.paid = here.paid + (now_ - here.paid_since);
    here.is_paid = false;
}

void World::count_in(Place& place) const {
    VirtualReplica& engine = *place.engine;
    place.busy = place.busy + engine.busy();
    add(place.scheduler, engine.scheduler().stats());
    add(place.kv, engine.scheduler().kv().stats());
    add(place.loads, engine.load_stats());
    for (size_t i = 0; i < place.time_by_held_percent.size(); ++i)
        place.time_by_held_percent[i] =
            place.time_by_held_percent[i] + engine.time_by_held_percent()[i];
}

// --- looking ------------------------------------------------------------------------------------

void World::look() {
    if (setup_.autoscaler) autoscale();
    if (setup_.sample_every > Duration()) sample();
    const Duration every = setup_.autoscaler ? setup_.autoscaler->every : setup_.sample_every;
    if (!events_.empty()) events_.add(now_ + every, EventKind::look, 0);
}

void World::autoscale() {
    const SimAutoscaler& rules = *setup_.autoscaler;
    uint64_t calls = queue_ ? static_cast<uint64_t>(queue_->size()) : 0;
    if (!queue_)
        for (const UpstreamId id : eligible_)
            calls += router_.load(id).calls();
    const uint64_t serving = eligible_.size();
    if (calls > rules.calls_up * (serving + starting_)) {
        const auto gone = std::ranges::find(places_, Presence::gone, &Place::presence);
        if (gone == places_.end() || gone->is_paid) return;
        gone->is_paid = true;  // from the order on
        gone->paid_since = now_;
        ++starting_;
        scaled_at_ = now_;
        const auto place = static_cast<uint32_t>(gone - places_.begin());
        events_.add(now_ + rules.lag, EventKind::fault, place, 1);
        tell(place, "ordered");
        return;
    }
    const bool is_settled = now_ - scaled_at_ >= rules.settle;
    if (calls >= rules.calls_down * serving || serving <= rules.least || !is_settled) return;
    const auto idlest = std::ranges::min_element(
        eligible_, {}, [&](UpstreamId id) { return router_.load(id).calls(); });
    scaled_at_ = now_;
    const uint32_t place = raw(*idlest);
    drain(place);
    wake_soon(place);
}

void World::sample() {
    SimSample sample{
        .at_s = (now_ - Instant()).seconds(),
        .replicas = static_cast<uint32_t>(eligible_.size() + eligible_readers_.size())};
    uint32_t engines = 0;
    for (const Place& place : places_) {
        if (!place.engine) continue;
        const SchedulerStats stats = place.engine->scheduler().stats();
        ++engines;
        sample.running += stats.running;
        sample.waiting += stats.waiting + static_cast<uint32_t>(place.engine->loading());
        sample.kv_held += place.engine->kv_held();
        sample.kv_cached += place.engine->kv_cached();
    }
    sample.kv_held /= std::max(engines, 1u);
    sample.kv_cached /= std::max(engines, 1u);
    if (queue_)
        for (const PriorityClass priority : kPriorityClasses)
            sample.queued += static_cast<uint32_t>(queue_->waiting(priority));
    series_.push_back(sample);
}

}  // namespace brigada
