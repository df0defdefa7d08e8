// brigada calibrate: fits the cost model of planner and simulator to what was measured: steps of
// this machine's own engine, the request log of another, or published figures.
#include <CLI/CLI.hpp>

#include "cli/calibrate/calibrate_parts.h"
#include "cli/commands.h"

namespace brigada {

void add_calibrate_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "calibrate", "fit the cost model of planner and simulator to what was measured");
    command->require_subcommand(1);
    add_calibrate_engine(*command, action);
    add_calibrate_log(*command, action);
    add_calibrate_published(*command, action);
}

}  // namespace brigada
