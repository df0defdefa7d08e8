// Users who change their minds: a call is cancelled while it waits or is answered, what its turn
// would still have asked is not asked, and the session goes on with what the user says next.
#include "route/rendezvous.h"
#include "sim/world.h"

namespace brigada {

namespace {

constexpr uint64_t kMillion = 1'000'000;

enum class Noted : uint64_t { interrupted = 21 };

double share(uint64_t dice) {
    return static_cast<double>(dice % kMillion) / kMillion;
}

}  // namespace

// A hash of who asks, as with retries.
void World::expect_interrupt(uint32_t slot) {
    const ClientRules& rules = setup_.clients;
    LiveCall& live = calls_[slot];
    if (rules.interrupt_chance <= 0 || trace_session(live.session).parent) return;
    const uint64_t dice = mix(mix(setup_.seed, ~uint64_t{live.session}), live.record.call);
    if (share(dice) >= rules.interrupt_chance) return;
    const auto after = static_cast<double>(rules.interrupt_within.ns()) * share(mix(dice, 1));
    live.number = next_number_++;
    events_.add(now_ + Duration::nanoseconds(static_cast<int64_t>(after)), EventKind::interrupt,
                slot, live.number);
}

void World::interrupt(uint32_t slot) {
    LiveCall& live = calls_[slot];
    if (live.sent_number == 0) {  // its client waits to send it again, and then will not
        live.was_interrupted = true;
        return;
    }
    leave_line(slot);
    leave_upstream(slot, Ending::cancelled);
    interrupted(slot);
}

void World::interrupted(uint32_t slot) {
    LiveCall& live = calls_[slot];
    note(static_cast<uint64_t>(Noted::interrupted), live.id);
    live.record.interrupted = true;
    live.record.ended = now_;
    settle_rate(slot, live.was_taken ? live.record.prompt_tokens : 0);
    const uint32_t session = live.session;
    close(slot);
    sessions_[session].answered = now_;
    skip_turn(session);
    go_on(session);
}

void World::skip_turn(uint32_t session) {
    const TraceSession& played = trace_session(session);
    SessionState& state = sessions_[session];
    skip_children(session, state.next_call - 1);
    for (; state.next_call < played.calls.size(); ++state.next_call) {
        if (played.calls[state.next_call].user) return;
        state.prompts.go_to(played, state.next_call, trace_.block_tokens, next_name_);
        ++skipped_;
        skip_children(session, state.next_call);
    }
}

void World::skip_children(uint32_t session, uint32_t call) {
    for (const uint32_t child : children_[session]) {
        const TraceSession& played = trace_session(child);
        if (played.parent->call != call) continue;
        skipped_ += played.calls.size();
        for (uint32_t i = 0; i < played.calls.size(); ++i)
            skip_children(child, i);
    }
}

}  // namespace brigada
