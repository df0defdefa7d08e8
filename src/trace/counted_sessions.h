// CountedSessions: calls of which only lengths and times are known, as sessions. What their prompts
// share is concluded from the lengths: see add().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/importer.h"

namespace brigada {

struct CountedCall {
    Duration at = {};  // since whatever the file counts from
    std::optional<Duration> took = {}, ttft = {};
    uint32_t model = 0;
    uint32_t prompt_tokens = 0, output_tokens = 0;
    std::optional<uint32_t> cached_tokens = {};  // of the prompt, as the server reported them
    std::optional<bool> user = {};               // nothing: by the gap before
    size_t order = 0;                            // set by CountedSessions
};

class CountedSessions {
  public:
    /// Calls may come in any order.
    void add(const std::string& session, const std::string& tenant, CountedCall call);
    bool empty() const { return sessions_.empty(); }

    /// Adds all to the trace, the earliest call at 0. Of a session,
    ///   a prompt at least as long as the one before extends it (97 of 100 calls of agents do);
    ///   a shorter one has of it what was cached, the rest is new: a compaction;
    ///   the first prompt's cached tokens are those that all sessions of its tenant and model begin
    ///   with.
    /// Where it isn't said, a call begins a turn when a person had time to read: after 40 s.
    Result<void> add_to(TraceBuilder& trace, const std::string& file);

  private:
    struct Session {
        std::string name = {};
        std::string tenant = {};
        std::vector<CountedCall> calls = {};
        size_t order = 0;  // of first appearance
    };

    std::vector<Session> sessions_;
    std::map<std::pair<std::string, std::string>, size_t> index_;
};

}  // namespace brigada
