// Known fits: what engines were found to reach on accelerators. The planner's defaults; whoever has
// measurements of their own replaces them with `brigada calibrate`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/engine_fit.h"

namespace brigada {

struct KnownFit {
    std::string accelerator;  // as in known_accelerators()
    std::string engine;       // "vLLM"
    EngineFit fit;            // its source names what it was fitted to, and how far off it is
};

/// By accelerator, then engine.
const std::vector<KnownFit>& known_fits();

/// From the datasheet and what engines of this kind usually reach; nothing of this very accelerator
/// was measured. Engines by name, forgiving case: vLLM, SGLang, TensorRT-LLM, llama.cpp, and others
/// as vLLM.
EngineFit default_fit(const Accelerator& accelerator, std::string_view engine);

/// The known fit of both, or default_fit.
EngineFit find_fit(const Accelerator& accelerator, std::string_view engine);

}  // namespace brigada
