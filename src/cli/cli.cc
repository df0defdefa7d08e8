#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/help_page.h"
#include "cli/suggest.h"

namespace brigada {

namespace {

constexpr const char* kAbout =
    "brigada serves language models to agents on hardware you own.\n\n"
    "The first time:\n\n"
    "  brigada model pull smollm2       get a small model, 98 MB\n"
    "  brigada up smollm2               answer OpenAI's API on 127.0.0.1:4000, with keys and "
    "limits\n"
    "  brigada serve smollm2            the same, without keys";

std::unique_ptr<CLI::App> new_app(Action& action) {
    auto app = std::make_unique<CLI::App>(kAbout, "brigada");
    app->formatter(std::make_shared<HelpPage>());
    app->set_help_flag("-h,--help", "show this page");
    app->option_defaults()->always_capture_default();  // so that help can show them
    app->require_subcommand(1);
    add_up_command(*app, action);
    add_serve_command(*app, action);
    add_gateway_command(*app, action);
    add_doctor_command(*app, action);
    add_manage_commands(*app, action);
    add_spend_command(*app, action);
    add_sessions_command(*app, action);
    add_ledger_command(*app, action);
    add_load_command(*app, action);
    add_calibrate_command(*app, action);
    add_trace_command(*app, action);
    add_simulate_command(*app, action);
    add_model_command(*app, action);
    add_plan_command(*app, action);
    add_version_command(*app, action);
    return app;
}

/// The command the user got as far as: "brigada model pull".
const CLI::App& deepest(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.back());
}

std::string full_name(const CLI::App& app) {
    if (app.get_parent() == nullptr) return app.get_name();
    return full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

/// What was not understood, and what was perhaps meant.
std::string unexpected(const CLI::App& command, const std::string& word) {
    const bool is_option = word.starts_with("-");
    const std::string bare = word.substr(0, word.find('='));
    const auto known = is_option ? options_of(command) : commands_of(command);
    std::string text = is_option       ? concat("no option ", bare)
                       : known.empty() ? concat("'", word, "' is one word too many")
                                       : concat("no command '", word, "'");
    if (const auto meant = closest(bare, known)) text += concat("; did you mean ", *meant, "?");
    return text;
}

/// CLI11 says "Could not convert: --port = abc"; we say what the option wants.
std::string unsuitable(const CLI::App& command, const CLI::ConversionError& error) {
    const std::string_view text = error.what();
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        const size_t at = text.find(name + " = ");
        if (at == text.npos) continue;
        return concat(name, " wants ", option->get_type_name(), ", not '",
                      text.substr(at + name.size() + 3), "'");
    }
    return std::string(text);
}

/// CLI11 speaks in one line, mostly.
std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, std::ostream& err) {
    const CLI::App& command = deepest(app);
    const auto extra = app.remaining(true);
    std::string what = first_line(error.what());
    if (!extra.empty())
        what = unexpected(command, extra.front());
    else if (const auto* conversion = dynamic_cast<const CLI::ConversionError*>(&error))
        what = first_line(unsuitable(command, *conversion));
    err << "brigada: " << what << " (see " << full_name(command) << " --help)\n";
    return kExitUsage;
}

}  // namespace

int run_cli(std::vector<std::string> words, std::ostream& out, std::ostream& err) {
    Action action;
    const std::unique_ptr<CLI::App> app = new_app(action);
    if (words.empty()) words.push_back("--help");
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
    try {
        app->parse(words);
    } catch (const CLI::CallForHelp&) {
        out << app->help();
        return kExitOk;
    } catch (const CLI::CallForVersion& version) {
        out << version.what() << '\n';
        return kExitOk;
    } catch (const CLI::ParseError& error) {
        return usage_error(*app, error, err);
    }
    CHECK(action, "a command was chosen that does nothing");
    const Result<void> done = action();
    if (done) return kExitOk;
    err << "brigada: " << done.error().message << '\n';
    return kExitFailed;
}

}  // namespace brigada
