// The report on published figures: by accelerator and engine, how far off the cost model is from
// the datasheet alone and when fitted, judged on runs that the fit has not seen.
#pragma once

#include <string>
#include <vector>

#include "calibrate/published_run.h"

namespace brigada {

/// Median and 90th percentile of |predicted / published - 1|.
struct ErrorSummary {
    size_t figures = 0;
    double median = 0, p90 = 0;
};

struct PublishedErrors {
    ErrorSummary ttft, tpot, throughput, all;
};

/// One run, and what the model says of it without having seen it.
struct JudgedRun {
    const PublishedRun* run = nullptr;
    UniformResult unfitted, fitted;  // from the datasheet; fitted to every other run
};

struct PublishedGroup {
    std::string accelerator, engine;
    std::vector<JudgedRun> runs;
    PublishedErrors unfitted, fitted;
    EngineFit fit;  // to all of them
};

/// In order of accelerator, then engine. Runs are halved, one by one; each half is judged by the
/// fit to the other. A group of one run is judged on what it was fitted to. `runs` must outlive
/// what comes out.
std::vector<PublishedGroup> report_on(const std::vector<PublishedRun>& runs);

}  // namespace brigada
