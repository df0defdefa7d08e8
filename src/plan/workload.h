// Workload: what people and their agents ask for, as the few numbers a closed form needs. A trace
// becomes one, and so does a profile, by way of the sessions it draws.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cost/geometry.h"
#include "trace/profile.h"
#include "trace/trace.h"

namespace brigada {

/// Sessions or sub-agents that run beside a person's first: `share` of the time, `extra` of them.
struct FanOut {
    std::string name = {};
    double share = 0;
    double extra = 0;
};

/// One quantile: `share` of all values are at most `value`.
struct Quantile {
    double share = 0;
    double value = 0;
};

/// One turn in so many equally frequent ones, as multiples: of calls_per_turn_p90, and of what so
/// many calls would have with mean gaps and mean answers.
struct TurnShape {
    double calls = 0;
    double tools = 0;    // the gaps between its calls, together
    double outputs = 0;  // its answers, together
};

struct Workload {
    std::string name = {};
    std::string source = {};       // for people
    double calls_per_session = 1;  // of which each but the first repeats the one before
    double session_s = 60;         // as it was recorded, answers included
    double prompt_tokens = 1;      // mean of a call
    double context_p90 = 1;        // of a call, prompt and output
    double context_max = 1;        // that must fit, or be refused
    double new_tokens = 1;         // mean of a call that repeats the one before
    double shared_tokens = 0;      // tools and system prompt that all sessions have in common
    double reuse = 0;              // of prompt tokens, with an endless cache
    double fresh_part = 1;  // of a mean prompt, less what is shared: what a call reads that doesn't
                            // repeat the one before
    double output_tokens = 1;         // mean
    std::vector<Quantile> gaps = {};  // s, from an answer to the session's next call
    std::vector<Quantile> outputs = {};
    double pause_s = 0;         // mean, from the end of a session to its person's next
    double tool_gap_s = 0;      // mean, within a turn
    double calls_per_turn = 1;  // mean
    double calls_per_turn_p90 = 1;
    // How some means above are spread, as multiples of them; none: always the same.
    std::vector<Quantile> new_shape = {};     // new_tokens
    std::vector<Quantile> prompt_shape = {};  // prompts of calls that repeat the one before
    std::vector<Quantile> fresh_shape = {};   // what calls read that don't
    std::vector<TurnShape> turns = {};        // by rising time
    std::vector<FanOut> fan_out = {};
};

/// A gap longer than this is somebody who went away, not somebody who thinks.
inline constexpr double kAwaySeconds = 1800;

/// Product of 1 + share x extra.
double amplification(const Workload& workload);

/// Mean of min(value, bound).
double mean_of(const std::vector<Quantile>& quantiles, double bound);

/// Mean of min(gap, bound): with kAwaySeconds the think time of somebody at work.
double mean_gap(const Workload& workload, double bound);

/// Between an answer and the same person's next call, in this session or another.
double mean_think(const Workload& workload);

/// The value below which `share` lie, linear between quantiles.
double value_at(const std::vector<Quantile>& quantiles, double share);

/// Declared numbers, held to a model that reads at most `max_context` tokens: agents compact
/// earlier and more often. Unchanged where the contexts fit; otherwise `source` says so.
Workload fitted_to_context(Workload workload, double max_context);

/// No limit to what the model reads.
inline constexpr uint32_t kEndlessContext = UINT32_MAX;

/// As the model's config says; endless where it says nothing.
inline uint32_t context_limit(const ModelGeometry& model) {
    return model.max_context > 0 ? model.max_context : kEndlessContext;
}

/// The people of a profile, none of them away, with a model that reads at most `max_context`
/// tokens: what goes beyond they compact.
Profile at_work(Profile profile, uint32_t max_context);

/// The same numbers of the sessions that these people draw: plan reckons with the people whom
/// simulate and --verify let work. Where they compact earlier than usual, `source` says so.
/// Error::invalid_argument: a profile that draws no calls.
Result<Workload> workload_of(const Profile& profile, uint32_t max_context = kEndlessContext);

/// Of a built-in profile, or one from a file. Error::not_found lists those that are known.
Result<Workload> find_workload(const std::string& name, uint32_t max_context = kEndlessContext);

/// The same numbers from a trace, whose sessions begin with `shared_tokens` in common. Sessions
/// that are there before `since` may be in their middle: what their first call brings is left out.
/// Error::invalid_argument: a trace without calls.
Result<Workload> workload_of(const Trace& trace, double shared_tokens = 0, Instant since = {});

/// Beyond `max_context` those of people who are fitted to the trace, and compact there.
Result<Workload> recorded_workload(const Trace& trace, uint32_t max_context);

}  // namespace brigada
