// PublishedRun: what somebody published of an engine on an accelerator: lengths, concurrency, and
// the mean TTFT, TPOT and throughput they saw; and what the cost model says of the same.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/uniform_load.h"
#include "cost/engine_fit.h"
#include "cost/placement.h"

namespace brigada {

struct PublishedRun {
    std::string accelerator, engine, model, source;
    Placement placement;
    UniformLoad load;
    double ttft_s = 0, tpot_s = 0, output_tok_s = 0;  // as published; 0: was not
};

/// How a checkpoint's matrices are stored: bf16, fp8, nvfp4, mxfp4 (routed experts only), int4
/// (groups of 128), q4_k_m, q4_0. Error::invalid_argument lists them.
Result<ModelGeometry> with_weights(ModelGeometry model, std::string_view format);

struct PublishedTable {
    std::vector<PublishedRun> runs;
    std::vector<std::string> left_out;  // one line each: what cannot be asked of the model, and why
};

/// CSV as in testdata/calibration/published_points.csv: model, accelerator, tp, dp, ep, engine,
/// weights, kv, prompt_tokens, output_tokens, load (closed:C, burst:N or batch:B), ttft_ms,
/// tpot_ms, output_tok_s, source. Runs that do not fit the accelerator by our reckoning are left
/// out. Errors name file, line and field.
Result<PublishedTable> read_published_runs(std::string_view csv, std::string_view what);

UniformResult predict(const PublishedRun& run, const EngineFit& fit);

/// One fit to all of these runs, from `start`.
EngineFit fit_to_published(std::span<const PublishedRun* const> runs, const EngineFit& start);

}  // namespace brigada
