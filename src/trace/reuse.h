// Reuse: how much of the prompts of a trace an ideal cache would hold: an endless one, one that
// forgets what lay idle too long, one of a given size; and how much lies in it over time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "trace/timeline.h"
#include "trace/trace.h"

namespace brigada {

/// Ages at which the reuse curve is said.
inline constexpr std::array<int64_t, 7> kReuseAges_s = {30, 60, 120, 300, 600, 1800, 3600};
/// Positions within a session at which reuse is said.
inline constexpr std::array<uint32_t, 8> kReuseIndices = {0, 1, 2, 5, 10, 20, 50, 100};

/// Shares of all prompt tokens that were found, of the sessions of people, as agent_stats.json has
/// them: found is what the session's call before had at the prompt's beginning.
struct SessionReuse {
    double endless = 0;
    std::array<double, kReuseAges_s.size()> by_age{};  // if nothing idle longer stays
    double tool_calls = 0, user_calls = 0;             // but the first of a session
    std::array<double, kReuseIndices.size()> by_index{};
    std::array<uint64_t, kReuseIndices.size()> calls_at_index{};
};

SessionReuse session_reuse(const Trace& trace, const std::vector<std::vector<TimedCall>>& times);

/// Found in one endless cache for all sessions and sub-agents: what they share is found, too.
double shared_reuse(const Trace& trace, const std::vector<CallAt>& order);

/// A point of the curve of reuse against size.
struct ReuseAtSize {
    uint64_t cache_tokens = 0;
    double reuse = 0;
};

/// Of one cache for all that evicts whole sessions, the one used longest ago first; at sizes from
/// 1/64 of the largest working set to all of it. What sessions share is counted for each.
std::vector<ReuseAtSize> reuse_by_size(const Trace& trace, const std::vector<CallAt>& order);

/// Tokens of the prompts that were used within `age`, in `points` steps over the trace's time.
struct WorkingSet {
    Duration age;
    Duration step;
    std::vector<uint64_t> tokens;  // at the end of each step
    uint64_t most = 0;             // at any time
    double mean = 0;               // over time
};

WorkingSet working_set(const Trace& trace, const std::vector<std::vector<TimedCall>>& times,
                       Duration age, size_t points);

}  // namespace brigada
