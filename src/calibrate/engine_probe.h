// The probe of an engine: asks it for prompts and answers of many sizes and notes how long each
// step took. A shell: it starts the engine, and time passes.
#pragma once

#include <functional>
#include <vector>

#include "calibrate/step_times.h"
#include "engine/setup.h"

namespace brigada {

struct ProbeOptions {
    Duration time = Duration::seconds(90);  // begins nothing new after that
    uint32_t longest_context = 4096;        // tokens; at most the engine's
    std::vector<uint32_t> batches = {1, 2, 4, 8};
    uint64_t seed = 1;  // of the prompts
};

struct ProbeResult {
    EngineFacts facts;
    std::vector<TimedStep> steps;
    uint32_t rounds = 0;  // times all sizes were asked for
};

/// Steps of the engine with `model`, over and over until the time is up; one round at least.
/// `tell` hears what is being asked for. Errors: the engine does not start, or fails a request.
Result<ProbeResult> probe_engine(const Model& model, const EngineOptions& engine,
                                 const ProbeOptions& options,
                                 const std::function<void(std::string)>& tell);

}  // namespace brigada
