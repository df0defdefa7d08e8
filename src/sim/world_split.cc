// Prefill and decode apart: a prompt is read by one replica and answered by another, which holds
// the session's KV and gets what is new over a link. Both are chosen when the call is routed;
// production's router decides twice.
#include <utility>

#include "route/rendezvous.h"
#include "sim/world.h"

namespace brigada {

namespace {

enum class Noted : uint64_t { reader = 11, read };

}  // namespace

Router& World::router_at(uint32_t place) {
    return places_[place].kind->role == ReplicaRole::prefill ? *readers_ : router_;
}

std::vector<UpstreamId>& World::eligible_at(uint32_t place) {
    return places_[place].kind->role == ReplicaRole::prefill ? eligible_readers_ : eligible_;
}

/// Where little of a prompt is new, it is read where it is answered; the replica there decides, by
/// what it holds.
bool World::is_read_elsewhere(const LiveCall& live, uint32_t answers_at) {
    Place& there = places_[answers_at];
    if (!readers_ || there.kind->role != ReplicaRole::decode) return false;
    if (setup_.link.local_tokens == 0) return true;
    catch_up(answers_at);
    const SessionState& state = sessions_[live.session];
    KvCursor cursor;
    const uint32_t cached =
        there.engine->scheduler().kv().lookup(state.prompts.ids(), KvScope(), cursor);
    return live.record.prompt_tokens - cached > setup_.link.local_tokens;
}

/// The call has its place at the replica that will answer; another one reads its prompt first.
void World::read(uint32_t slot, const Call& call, uint32_t answers_at) {
    LiveCall& live = calls_[slot];
    const std::optional<Route> reader =
        readers_->choose(call, eligible_for(live.record.model, eligible_readers_), now_);
    note(static_cast<uint64_t>(Noted::reader), reader ? raw(reader->upstream) : UINT32_MAX);
    if (!reader) return submit(slot, call, answers_at);  // nobody is there to read it
    live.answers_at = answers_at;
    submit(slot, call, raw(reader->upstream));
}

/// What it read goes over the link to the replica that answers, when that has room for it.
void World::prompt_read(uint32_t slot, const KvCursor& cursor) {
    LiveCall& live = calls_[slot];
    const SimCall& record = live.record;
    note(static_cast<uint64_t>(Noted::read), mix(live.id, record.cached_tokens));
    const uint32_t reader = *live.place;
    kept_of(live) = {cursor, reader, places_[reader].life};
    const CallReport told =
        readers_->ended(CallId{live.id}, Ending::answered,
                        ReportedPrompt{record.prompt_tokens, record.cached_tokens}, now_);
    take_cause(live.record, told);
    live.place.reset();
    live.read_at = reader;
    const uint32_t answers_at = *std::exchange(live.answers_at, std::nullopt);
    if (places_[answers_at].engine) return submit(slot, call_of(slot), answers_at);
    router_.ended(CallId{live.id}, Ending::failed, std::nullopt, now_);
    route(slot);
}

void World::take_cause(SimCall& record, const CallReport& told) const {
    record.cause = told.miss.cause;
    record.lost_tokens = told.miss.lost_blocks * trace_.block_tokens;
}

World::Kept& World::kept_of(const LiveCall& live) {
    SessionState& state = sessions_[live.session];
    return live.answers_at ? state.kept_by_reader : state.kept;
}

void World::add_transfers(SimReport& report) const {
    SimTransfers& transfers = report.transfers.emplace();
    std::vector<double> transfer_s;
    for (const SimCall& record : records_) {
        if (record.failed || record.interrupted) continue;
        ++(record.read_elsewhere ? transfers.calls : transfers.local_calls);
        if (record.loaded.remote_tokens > 0) transfer_s.push_back(record.loaded.transfer.seconds());
    }
    transfers.transfer_s = percentiles_of(std::move(transfer_s));
    uint32_t readers = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
        transfers.bytes += places_[i].loads.remote_bytes;
        const bool reads = places_[i].kind->role == ReplicaRole::prefill;
        readers += reads ? 1 : 0;
        (reads ? transfers.readers_busy : transfers.others_busy) += report.utilisation.at(i);
    }
    transfers.readers_busy /= readers;
    transfers.others_busy /= static_cast<double>(places_.size()) - readers;
}

}  // namespace brigada
