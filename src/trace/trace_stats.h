// TraceStats: what a trace is like, in distributions and shares. The names and meanings are those
// of agent_stats.json; docs/traces.md says each exactly.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "trace/distribution.h"
#include "trace/reuse.h"
#include "trace/trace.h"

namespace brigada {

struct TraceStats {
    std::string origin;
    uint32_t block_tokens = 0;
    uint64_t sessions = 0, sub_agents = 0, calls = 0, sub_agent_calls = 0, turns = 0;
    uint64_t prompt_tokens = 0, output_tokens = 0;  // of all calls
    Duration length;                                // first call sent to last answer
    uint64_t compactions = 0;
    double compaction_rate = 0;  // of calls that aren't the first of their session
    double sessions_with_sub_agents = 0;

    std::vector<std::pair<std::string, Distribution>> distributions;  // those with values

    SessionReuse reuse;
    double shared_reuse = 0;
    std::vector<ReuseAtSize> reuse_by_size;
    std::vector<WorkingSet> working_sets;  // 5 minutes and an hour

    /// Empty where the trace has no such values.
    Distribution distribution(std::string_view name) const;
};

/// Below this share of the prompt before, a call is a compaction or begins anew.
inline constexpr double kCompactionRatio = 0.7;
/// From this share of the prompt on, a call appends; below, it rewrites.
inline constexpr double kAppendShare = 0.9;

TraceStats stats_of(const Trace& trace);

Json to_json(const TraceStats& stats);

/// For a terminal: numbers, and bars of characters.
std::string stats_text(const TraceStats& stats);

/// One HTML file that needs nothing else.
std::string stats_page(const TraceStats& stats);

}  // namespace brigada
