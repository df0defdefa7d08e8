// LoadFigures: what a run comes to: percentiles, throughput, failures by cause, and how far the
// generator itself can be believed. Made of CallResults alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "load/call_result.h"
#include "load/log_histogram.h"

namespace brigada {

/// What a call must meet to count for goodput; what is unset is met.
struct SloTargets {
    std::optional<Duration> ttft, tpot, e2e;
    bool any() const { return ttft || tpot || e2e; }
};

/// Of values in their own unit. Percentiles are values that occurred (nearest rank).
struct Spread {
    uint64_t count = 0;
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
};

Spread spread_of(std::vector<double> values);
Spread spread_of_ms(const LogHistogram& histogram);

/// The value that at least `share` of the sorted values are at or below. 0 when there are none.
double percentile_of(std::span<const double> sorted, double share);

/// What is measured of every finished call, for tables, files and comparisons. All in ms, but
/// `speed`, which is the answer's tokens per second from its first attempt to its end.
enum class Measure : uint8_t { ttft, first_byte, tpot, e2e, per_token, lateness };
inline constexpr Measure kMeasures[] = {Measure::ttft, Measure::first_byte, Measure::tpot,
                                        Measure::e2e,  Measure::per_token,  Measure::lateness};
/// "ttft_ms".
std::string_view field_of(Measure measure);
/// nullopt where the call has none, such as the TPOT of an answer of one token.
std::optional<double> measured_ms(const CallResult& result, Measure measure);

/// How a run was bounded: calls due in it are measured, wherever they end; rates count what
/// happened in it.
struct LoadWindow {
    Instant begin, end;
    Duration length() const { return end - begin; }
    bool holds(Instant at) const { return begin <= at && at <= end; }
};

struct LoadFigures {
    double seconds = 0;  // of the window
    // Calls of the window.
    uint64_t sent = 0, finished = 0, failed = 0, unfinished = 0, retried = 0;
    uint64_t outside = 0;                    // of the warm-up; not among the others
    std::map<std::string, uint64_t> causes;  // of failures

    std::map<Measure, Spread> spreads;  // of finished calls; only measures that occurred
    Spread itl;                         // of their tokens, in ms

    // Of finished calls, as the server reported, or as their texts count.
    uint64_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0;
    uint64_t wanted_prompt_tokens = 0;  // of those whose usage was told
    uint64_t wanted_output_tokens = 0;  // of all finished
    uint64_t usage_told = 0;
    std::map<TokenCount, uint64_t> counted_by;
    // Of what happened in the window, whenever its calls were due: calls that finished, tokens that
    // came, prompts whose first token came.
    uint64_t ended_inside = 0, met_inside = 0, output_inside = 0, prompt_inside = 0;
    double calls_per_second = 0, output_per_second = 0, prompt_per_second = 0;

    /// P90 of seconds per output token, inverted: nine of ten calls were at least so fast. 0: no
    /// output. Source: InferenceX AgentX.
    double interactivity = 0;

    uint64_t met_slo = 0;  // of the finished
    double goodput = 0;    // calls that met their targets, per second

    uint64_t pieces = 0, bundles = 0;  // arrivals with output, and those of several tokens
    uint64_t bundled_firsts = 0;       // calls whose first piece was one

    /// Of the calls of the window that ended one way or the other.
    double failure_share() const {
        const uint64_t ended = finished + failed;
        return ended == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(ended);
    }
};

LoadFigures figures_of(std::span<const CallResult> results, const LogHistogram& gaps,
                       LoadWindow window, const SloTargets& targets);

bool meets(const CallResult& result, const SloTargets& targets);

}  // namespace brigada
