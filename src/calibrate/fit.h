// Fitting the cost model to request logs: which EngineFit makes the replay of what an engine was
// asked take as long as it took.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/least_squares.h"
#include "calibrate/replay.h"
#include "cost/engine_fit.h"

namespace brigada {

/// A log, and what served it.
struct LoggedRun {
    std::string name;
    RequestLog log;
    Placement placement;
    ReplaySetup setup;
};

/// Which requests of a log count. All of them are replayed, whatever counts.
enum class Part { all, even, odd, first_half, second_half };

struct MeanTimes {
    double ttft_s = 0;
    double tpot_s = 0;  // of requests with more than one token
    double latency_s = 0;
};

MeanTimes mean_times(const RequestLog& log, Part part);

/// Predicted over measured, less one.
struct RunError {
    MeanTimes measured, predicted;
    double ttft() const { return predicted.ttft_s / measured.ttft_s - 1; }
    double tpot() const { return predicted.tpot_s / measured.tpot_s - 1; }
    double latency() const { return predicted.latency_s / measured.latency_s - 1; }
};

/// Error: the placement cannot serve a request of the log.
Result<RunError> judge(const LoggedRun& run, const EngineFit& fit, Part part);

/// One fit to all runs together, found from `start`: mfu, mbu, step_s, layer_s, sequence_s and,
/// where a run has more than one rank, link_efficiency. What the runs do not decide stays near
/// `start`.
Result<EngineFit> fit_to(std::span<const LoggedRun> runs, Part part, const EngineFit& start);

/// The numbers of a fit that are free, in the order in which `with_free` takes them.
std::vector<FreeParameter> free_parameters(const EngineFit& start, bool with_links);
EngineFit with_free(EngineFit fit, std::span<const double> values);

}  // namespace brigada
