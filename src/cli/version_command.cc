// brigada version: which build this is.
#include <iostream>

#include "cli/commands.h"

namespace brigada {

void add_version_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("version", "say which version this is");
    command->callback([&action] {
        action = [] {
            std::cout << "brigada " BRIGADA_VERSION << '\n';
            return Result<void>();
        };
    });
}

}  // namespace brigada
