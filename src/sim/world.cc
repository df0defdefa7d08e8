// The clock of the world, and its clients: who sends what when.
#include "sim/world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "route/rendezvous.h"

namespace brigada {

World::World(const Trace& trace, const SimSetup& setup, std::unique_ptr<Policy> policy,
             std::unique_ptr<Policy> readers, SimObserver* observer)
    : trace_(trace),
      setup_(setup),
      observer_(observer),
      router_(std::move(policy), {.max_sessions = trace.sessions.size() + 1, .remembered_calls = 1},
              Rng(setup.seed)),
      sessions_(trace.sessions.size()),
      children_(trace.sessions.size()),
      next_name_(trace.names) {
    if (setup.admission) queue_.emplace(setup.admission->queue);
    if (readers)
        readers_.emplace(
            std::move(readers),
            SessionTableConfig{.max_sessions = trace.sessions.size() + 1, .remembered_calls = 1},
            Rng(setup.seed));
    for (const SimReplica& kind : setup.replicas)
        for (uint32_t i = 0; i < kind.count; ++i) {
            Place& place = places_.emplace_back();
            place.kind = &kind;
            place.out = Lane(setup.link.bytes_per_s);
        }
    for (const SimReplica& kind : setup.replicas)
        has_pools_ = has_pools_ || !kind.models.empty();
    for (uint32_t t = 0; t < setup.limits.size(); ++t) {
        if (setup.limits[t].none()) continue;
        if (!limiter_) limiter_.emplace();
        limiter_->set_limits(ScopeId{t + uint64_t{1}}, setup.limits[t]);
    }
    for (uint32_t s = 0; s < trace.sessions.size(); ++s) {
        const TraceSession& session = trace.sessions[s];
        if (session.parent)
            children_[session.parent->session].push_back(s);
        else if (!session.calls.empty())
            events_.add(session.start, EventKind::send, s);
    }
}

SimReport World::run() {
    const size_t at_first = setup_.autoscaler ? setup_.autoscaler->least : places_.size();
    for (uint32_t place = 0; place < at_first; ++place)
        start(place);
    for (uint32_t i = 0; i < setup_.faults.size(); ++i)
        events_.add(setup_.faults[i].at, EventKind::fault, i);
    if (setup_.rollout) events_.add(setup_.rollout->at, EventKind::rollout, 0);
    if (setup_.sample_every > Duration() || setup_.autoscaler)
        events_.add(now_, EventKind::look, 0);
    while (!events_.empty()) {
        const Event event = events_.take();
        CHECK(event.at >= now_, "time goes back");
        now_ = event.at;
        handle(event);
        if (setup_.proves) prove();
    }
    return report();
}

void World::handle(const Event& event) {
    switch (event.kind) {
        case EventKind::steps_end:
            if (places_[event.who].version == event.which) steps_end(event.who);
            break;
        case EventKind::loads_end:
            if (places_[event.who].life == event.which) loads_end(event.who);
            break;
        case EventKind::fault:
            fault(event.which == 0 ? setup_.faults[event.who]
                                   : SimFault{now_, event.who, FaultKind::back});
            break;
        case EventKind::queue_deadline:
            queue_deadline();
            break;
        case EventKind::timeout:
            if (calls_[event.who].sent_number == event.which) time_out(event.who);
            break;
        case EventKind::interrupt:
            if (calls_[event.who].number == event.which) interrupt(event.who);
            break;
        case EventKind::rollout:
            rollout(event);
            break;
        case EventKind::send:
            if (event.which == 0)
                send(event.who);
            else
                offer(static_cast<uint32_t>(event.which - 1));  // once more
            break;
        case EventKind::look:
            look();
            break;
        case EventKind::wake:
            wake(event.who);
            break;
    }
}

// --- sessions -----------------------------------------------------------------------------------

void World::send(uint32_t session) {
    SessionState& state = sessions_[session];
    if (now_ > setup_.until) return session_over(session);
    const TraceSession& played = trace_session(session);
    const TraceCall& call = played.calls[state.next_call];
    state.prompts.go_to(played, state.next_call, trace_.block_tokens, next_name_,
                        setup_.answers_return);
    if (call.user || state.next_call == 0) {
        turn_over(session);
        state.turn_began = now_;
    }
    const uint32_t slot = new_slot();
    LiveCall& live = calls_[slot];
    live.session = session;
    live.record.session = session;
    live.record.call = state.next_call;
    live.record.tenant = played.tenant;
    live.record.model = call.model;
    live.record.user = call.user;
    live.record.prompt_tokens = call.prompt_tokens;
    live.record.output_tokens = call.output_tokens;
    live.record.sent = now_;
    began_ = std::min(began_, now_);
    if (setup_.admission && played.tenant < setup_.admission->classes.size())
        live.record.priority = setup_.admission->classes[played.tenant];
    ++state.next_call;
    expect_interrupt(slot);
    offer(slot);
}

/// The last call of the session is answered or given up.
void World::call_over(uint32_t session) {
    SessionState& state = sessions_[session];
    state.answered = now_;
    begin_children(session, state.next_call - 1);
    go_on(session);
}

void World::go_on(uint32_t session) {
    SessionState& state = sessions_[session];
    if (state.next_call == trace_session(session).calls.size() && state.children == 0)
        session_over(session);
    else if (state.children > 0)
        state.waits_for_children = true;
    else
        schedule_next(session);
}

void World::begin_children(uint32_t session, uint32_t call) {
    for (const uint32_t child : children_[session]) {
        const TraceSession& played = trace_session(child);
        if (played.parent->call != call || played.calls.empty()) continue;
        ++sessions_[session].children;
        events_.add(now_ + (played.start - Instant()), EventKind::send, child);
    }
}

void World::schedule_next(uint32_t session) {
    const Duration gap = trace_session(session).calls[sessions_[session].next_call].gap;
    events_.add(now_ + gap, EventKind::send, session);
}

void World::session_over(uint32_t session) {
    SessionState& state = sessions_[session];
    turn_over(session);
    state.prompts.forget();
    const auto& parent = trace_session(session).parent;
    if (!parent) return;
    SessionState& above = sessions_[parent->session];
    if (--above.children > 0 || !above.waits_for_children) return;
    above.waits_for_children = false;
    if (above.next_call == trace_session(parent->session).calls.size())
        session_over(parent->session);
    else
        schedule_next(parent->session);
}

void World::turn_over(uint32_t session) {
    const SessionState& state = sessions_[session];
    const bool is_reported =
        state.turn_began >= Instant() + setup_.warm_up && !trace_session(session).parent;
    if (state.answered > state.turn_began && is_reported)
        turns_s_.push_back((state.answered - state.turn_began).seconds());
}

// --- what everyone uses -------------------------------------------------------------------------

void World::note(uint64_t a, uint64_t b) {
    digest_ = mix(mix(digest_, a), mix(b, static_cast<uint64_t>(now_.ns())));
}

void World::tell(uint32_t place, std::string_view what) {
    if (observer_) observer_->happened(now_, place, what);
}

void World::prove() const {
    router_.check();
    if (readers_) readers_->check();
    if (queue_) queue_->check();
    if (limiter_) limiter_->check();
    size_t running = 0;
    for (const Place& place : places_) {
        CHECK((place.engine == nullptr) == (place.presence == Presence::gone));
        if (place.engine) place.engine->check();
    }
    for (const LiveCall& call : calls_)
        running += call.id != 0 && call.place ? 1 : 0;
    size_t in_schedulers = 0;
    for (const Place& place : places_) {
        if (!place.engine) continue;
        const SchedulerStats stats = place.engine->scheduler().stats();
        in_schedulers += stats.running + stats.waiting + place.engine->loading();
    }
    CHECK(running == in_schedulers, running, " calls at replicas, which have ", in_schedulers);
}

}  // namespace brigada
