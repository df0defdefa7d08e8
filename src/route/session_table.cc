#include "route/session_table.h"

#include "base/check.h"
#include "base/ids.h"

namespace brigada {

bool SessionTable::is_over(const Session& session, Instant now) const {
    return session.leases == 0 && now - session.idle_since >= config_.idle;
}

const Session* SessionTable::find(SessionId session, Instant now) const {
    const auto place = sessions_.find(session);
    if (place == sessions_.end() || is_over(place->second, now)) return nullptr;
    return &place->second;
}

bool SessionTable::begin(SessionId session, SessionId group, UpstreamId upstream, Instant now) {
    CHECK(session != SessionId{}, "session 0 means none");
    expire(now);
    const bool is_known = sessions_.contains(session);
    if (!is_known && sessions_.size() >= config_.max_sessions) {
        if (idle_.empty()) return false;
        forget(idle_.begin()->second);
    }
    Session& begun = sessions_[session];
    if (!is_known && group != SessionId{}) {
        begun.group = group;
        groups_.emplace(group, session);
    }
    if (is_known && begun.leases == 0) idle_.erase({begun.idle_since, session});
    ++begun.leases;
    begun.tentative = begun.pinned == upstream ? std::nullopt : std::optional(upstream);
    return true;
}

void SessionTable::accepted(SessionId session, UpstreamId upstream) {
    Session& here = leased(session);
    here.pinned = upstream;
    if (here.tentative == upstream) here.tentative.reset();
}

void SessionTable::ended(SessionId session, UpstreamId upstream, bool failed, Instant now) {
    Session& here = leased(session);
    if (failed && here.pinned == upstream) here.pinned.reset();
    if (failed && here.tentative == upstream) here.tentative.reset();
    if (--here.leases > 0) return;
    here.tentative.reset();
    here.idle_since = now;
    idle_.emplace_hint(idle_.end(), now, session);
}

void SessionTable::remember(SessionId session, const RememberedCall& call, PromptMarks marks,
                            const ReadAt& read_at) {
    Session& here = leased(session);
    here.calls.push_back(call);
    if (here.calls.size() > config_.remembered_calls) here.calls.pop_front();
    here.prompts.remember(std::move(marks), read_at);
}

void SessionTable::unbind(UpstreamId upstream) {
    for (auto& [id, session] : sessions_) {
        if (session.pinned == upstream) session.pinned.reset();
        if (session.tentative == upstream) session.tentative.reset();
    }
}

void SessionTable::expire(Instant now) {
    while (!idle_.empty() && is_over(sessions_.at(idle_.begin()->second), now))
        forget(idle_.begin()->second);
}

std::vector<SessionId> SessionTable::members(SessionId group) const {
    std::vector<SessionId> members;
    for (auto place = groups_.lower_bound({group, SessionId{}});
         place != groups_.end() && place->first == group; ++place)
        members.push_back(place->second);
    return members;
}

Session& SessionTable::leased(SessionId session) {
    const auto place = sessions_.find(session);
    CHECK(place != sessions_.end() && place->second.leases > 0, "session ", raw(session),
          " has no call running");
    return place->second;
}

void SessionTable::forget(SessionId session) {
    const auto place = sessions_.find(session);
    idle_.erase({place->second.idle_since, session});
    groups_.erase({place->second.group, session});
    sessions_.erase(place);
}

void SessionTable::check() const {
    CHECK(sessions_.size() <= config_.max_sessions);
    size_t idle = 0;
    size_t grouped = 0;
    for (const auto& [id, session] : sessions_) {
        if (session.leases == 0) {
            ++idle;
            CHECK(idle_.contains({session.idle_since, id}), "session ", raw(id));
            CHECK(!session.tentative, "session ", raw(id), " waits for nobody");
        }
        if (session.group != SessionId{}) {
            ++grouped;
            CHECK(groups_.contains({session.group, id}), "session ", raw(id));
        }
        CHECK(session.calls.size() <= config_.remembered_calls, "session ", raw(id));
        session.prompts.check();
    }
    CHECK(idle == idle_.size() && grouped == groups_.size());
}

}  // namespace brigada
