// Router: everything that decides where a call goes, as one object: upstreams and their load, the
// prefix index, the sessions and a policy. The shell tells it what became of each call; it answers
// with what was predicted, what was reported and why they differ.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/rng.h"
#include "route/by_upstream.h"
#include "route/policy.h"
#include "route/prefix_index.h"
#include "route/session_table.h"

namespace brigada {

enum class Ending {
    answered,   // to its end
    cancelled,  // the client went away
    failed,     // not accepted, or broken by the upstream
};

/// What an upstream said of a prompt, in its own tokens.
struct ReportedPrompt {
    int64_t tokens = 0;
    int64_t cached_tokens = 0;
};

/// The truth loop's line about one call.
struct CallReport {
    UpstreamId upstream{};
    int64_t predicted_tokens = 0;  // in the upstream's tokens, once it has reported
    std::optional<int64_t> reported_tokens = {};
    Miss miss = {};
};

class Router {
  public:
    Router(std::unique_ptr<Policy> policy, const SessionTableConfig& sessions, Rng rng);

    /// Decides from the next call on; sessions and index stay.
    void set_policy(std::unique_ptr<Policy> policy) { policy_ = std::move(policy); }

    /// A new upstream, or new facts of a known one. Another KV size makes its index start anew.
    void add(UpstreamId upstream, const UpstreamFacts& facts);

    /// No more calls go there; those that run come to their end.
    void remove(UpstreamId upstream);

    /// It started anew: its KV is gone.
    void restarted(UpstreamId upstream);

    /// Where the call goes, and its place there is taken: accepted and first_token may follow,
    /// ended must. `eligible` in ascending order. Nothing when none of them has room.
    std::optional<Route> choose(const Call& call, std::span<const UpstreamId> eligible,
                                Instant now);

    /// The upstream took the call.
    void accepted(const Call& call);

    void first_token(CallId call, Instant now);

    /// What the upstream reported of the prompt, if it did. The call's keys are not needed any more
    /// since accepted().
    CallReport ended(CallId call, Ending ending, const std::optional<ReportedPrompt>& reported,
                     Instant now);

    PrefixIndex& index() { return index_; }  // for engine events
    const PrefixIndex& index() const { return index_; }
    const SessionTable& sessions() const { return sessions_; }
    const UpstreamLoad& load(UpstreamId upstream) const;

    void check() const;

  private:
    struct Upstream {
        UpstreamFacts facts;
        UpstreamLoad load = {};
        uint32_t starts = 0;
        bool leaves = false;
    };

    struct Running {
        UpstreamId upstream{};
        uint32_t starts = 0;
        Prediction prediction = {};
        SessionId session{};  // 0: it has none, or the table does not know it
        ModelId model{};
        uint32_t block_tokens = 0;
        int64_t prompt_tokens = 0;
        uint32_t blocks = 0;     // full ones of the prompt
        PromptMarks marks = {};  // of a session's call
        bool was_accepted = false;

        int64_t tokens_in(uint32_t count) const {
            return std::min(prompt_tokens, int64_t{count} * block_tokens);
        }
        uint32_t cached_blocks(const ReportedPrompt& reported) const;
    };

    struct Eligible {
        std::vector<UpstreamId> ids;
        std::vector<const Upstream*> upstreams;
        std::vector<Prediction> predictions;
    };

    Eligible known(const Call& call, std::span<const UpstreamId> eligible) const;
    std::optional<Route> stay(const Call& call, std::span<const UpstreamId> eligible,
                              UpstreamId home, Instant now);
    Duration least_decode() const;
    static KvThere kv_there(const Call& call, const Prediction& predicted);
    void begin(const Call& call, const Route& route, const Prediction& prediction, Instant now);
    CallReport report(Running& running, const std::optional<ReportedPrompt>& reported, Instant now);
    void leave_if_idle(UpstreamId upstream);

    std::unique_ptr<Policy> policy_;
    PrefixIndex index_;
    SessionTable sessions_;
    ByUpstream<Upstream> upstreams_;
    Duration least_decode_ = Duration::max();  // of a token, anywhere
    std::unordered_map<CallId, Running> running_;
    std::vector<Candidate> candidates_;  // for the call being routed
};

}  // namespace brigada
