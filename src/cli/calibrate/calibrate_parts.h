// The three kinds of evidence of brigada calibrate, each a command of its own, and what they show
// alike.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/commands.h"
#include "cost/engine_fit.h"

namespace brigada {

void add_calibrate_engine(CLI::App& parent, Action& action);
void add_calibrate_log(CLI::App& parent, Action& action);
void add_calibrate_published(CLI::App& parent, Action& action);

/// Of a file that is read.
inline constexpr size_t kMostCalibrationBytes = 256 << 20;

std::string signed_percent(double share);  // "+1.2 %"
Json to_json(const EngineFit& fit);

}  // namespace brigada
