// The commands of brigada. Each declares itself to the parser and, when it is the one the user
// chose, leaves what to run; cli.cc has the list.
#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "base/result.h"

namespace brigada {

/// What the chosen command does once the whole command line is understood.
using Action = std::function<Result<void>()>;

void add_up_command(CLI::App& app, Action& action);
void add_serve_command(CLI::App& app, Action& action);
void add_gateway_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
void add_ledger_command(CLI::App& app, Action& action);
void add_manage_commands(CLI::App& app, Action& action);
void add_spend_command(CLI::App& app, Action& action);
void add_sessions_command(CLI::App& app, Action& action);
void add_load_command(CLI::App& app, Action& action);
void add_calibrate_command(CLI::App& app, Action& action);
void add_trace_command(CLI::App& app, Action& action);
void add_simulate_command(CLI::App& app, Action& action);
void add_model_command(CLI::App& app, Action& action);
void add_plan_command(CLI::App& app, Action& action);
void add_version_command(CLI::App& app, Action& action);

}  // namespace brigada
