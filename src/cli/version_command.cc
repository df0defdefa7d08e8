// brigada version: which build this is.
#include <iostream>

#include "cli/commands.h"

namespace brigada {

void add_version_command(CLI::App& app, Action& action) {
    constexpr const char* kVersion = "brigada " BRIGADA_VERSION;
    constexpr const char* kAbout = "say which version this is";
    app.set_version_flag("--version", kVersion, kAbout);
    CLI::App* command = app.add_subcommand("version", kAbout);
    command->callback([&action] {
        action = [] {
            std::cout << kVersion << '\n';
            return Result<void>();
        };
    });
}

}  // namespace brigada
