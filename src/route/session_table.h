// SessionTable: where each session lives. An upstream is tentative until it accepted a call of the
// session; while calls run the session is leased and stays known; after an idle hour it is
// forgotten. It also remembers each session's last calls, to explain what became of its KV.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "route/call.h"
#include "route/miss_cause.h"
#include "route/prompt_memory.h"
#include "route/upstream.h"

namespace brigada {

struct SessionTableConfig {
    Duration idle = Duration::seconds(3'600);  // how long a session without calls is known
    size_t max_sessions = 20'000;              // 20 KB each at most with prompts of 100K tokens
    size_t remembered_calls = 16;              // of each session
};

struct RememberedCall {
    Instant at;
    UpstreamId upstream{};
    ModelId model{};
    int64_t prompt_tokens = 0;
    int64_t predicted_tokens = 0;                 // of these, expected to be cached
    std::optional<int64_t> reported_tokens = {};  // what the upstream said, if it did
    Miss miss = {};
};

struct Session {
    SessionId group{};                         // the parent's session; 0: none
    std::string agent = {};                    // its name in the group, for people
    std::optional<UpstreamId> pinned = {};     // accepted a call last
    std::optional<UpstreamId> tentative = {};  // chosen for a call that is not accepted yet
    uint32_t leases = 0;                       // calls running
    Instant idle_since;                        // without leases: since when
    std::deque<RememberedCall> calls = {};     // oldest first
    PromptMemory prompts = {};

    std::optional<UpstreamId> upstream() const { return tentative ? tentative : pinned; }
};

class SessionTable {
  public:
    explicit SessionTable(const SessionTableConfig& config) : config_(config) {}

    /// The session, unless it was idle for too long.
    const Session* find(SessionId session, Instant now) const;

    /// A call of this session is sent to `upstream`. In a full table the session idle for longest
    /// makes room; when all have calls running it returns false: this one is not remembered, and
    /// the functions below must not be called for it.
    bool begin(SessionId session, SessionId group, UpstreamId upstream, Instant now);

    /// What people call it within its group.
    void name(SessionId session, std::string_view agent) { leased(session).agent = agent; }

    /// The upstream took the call: the session lives there now.
    void accepted(SessionId session, UpstreamId upstream);

    /// The call at `upstream` is over. When it failed and the session still points there, it does
    /// not any more; a binding made meanwhile stays.
    void ended(SessionId session, UpstreamId upstream, bool failed, Instant now);

    /// Notes what came of a call, for the explainer. Before ended().
    void remember(SessionId session, const RememberedCall& call, PromptMarks marks,
                  const ReadAt& read_at);

    /// No session lives there any more.
    void unbind(UpstreamId upstream);

    /// Forgets all that were idle for too long.
    void expire(Instant now);

    /// The sessions known of this group, in order of id.
    std::vector<SessionId> members(SessionId group) const;

    size_t size() const { return sessions_.size(); }
    void check() const;

  private:
    bool is_over(const Session& session, Instant now) const;
    Session& leased(SessionId session);
    void forget(SessionId session);

    SessionTableConfig config_;
    std::unordered_map<SessionId, Session> sessions_;
    std::set<std::pair<Instant, SessionId>> idle_;      // without leases, idle for longest first
    std::set<std::pair<SessionId, SessionId>> groups_;  // (group, member)
};

}  // namespace brigada
