// brigada gateway: the front door before OpenAI- and Anthropic-compatible engines.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "base/concat.h"
#include "cli/commands.h"
#include "cli/gateway_words.h"
#include "net/stop_signals.h"

namespace brigada {

namespace {

/// The configuration, with a word for each thing that will not work.
Result<LoadedConfig> understand_all(const GatewayWords& words) {
    TRY(LoadedConfig loaded, understand(words));
    if (loaded.config.general.master_key.empty())
        loaded.warnings.push_back("no general_settings.master_key, so nobody can make keys");
    for (const Deployment& deployment : loaded.config.deployments)
        if (is_engine_of_up(deployment))
            loaded.warnings.push_back(concat("model_list '", deployment.model_name,
                                             "': is never called: its engine is the one that "
                                             "`brigada up` runs"));
    return loaded;
}

Result<void> run_gateway(const GatewayWords& words, bool only_check) {
    block_stop_signals();
    block_reload_signal();
    TRY(LoadedConfig loaded, understand_all(words));
    const std::string what = describe(loaded.config);
    if (only_check) {
        for (const std::string& warning : loaded.warnings)
            note(concat("warning: ", warning));
        note(concat(words.config, " is good: ", what));
        return {};
    }
    const GatewayProgress progress = tell_gateway(loaded, what);
    TRY(serve_gateway(
        std::move(loaded.config), [&words] { return understand_all(words); }, progress));
    return {};
}

}  // namespace

void add_gateway_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("gateway", "stand before engines: keys, limits, ledger");
    const auto words = std::make_shared<GatewayWords>();
    const auto only_check = std::make_shared<bool>(false);
    add_gateway_options(*command, *words);
    command->get_option("--config")->required();
    command->add_flag("--check", *only_check, "read the configuration, say what is wrong, and end");
    command->footer(
        "Calls: /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/responses, "
        "/v1/messages,\n"
        "/v1/messages/count_tokens, /v1/models. Management with the master key, as LiteLLM has "
        "it:\n"
        "/key/*, /team/*, /user/*, /budget/*, /organization/*, /customer/*, /spend/logs,\n"
        "/global/spend/report; brigada keys, teams, users, spend and others speak it for you.\n"
        "/openapi.json says it all. /health, /health/readiness, /metrics, /debug/state.\n"
        "The log goes to stderr: text on a terminal, else a JSON object a line (brigada.log).\n\n"
        "SIGHUP, or POST /config/reload with the master key, reads the file again; a faulty one\n"
        "leaves the old one in force. SIGTERM and Ctrl-C let running answers finish; a second one "
        "cuts them off.");
    command->callback([&action, words, only_check] {
        action = [words, only_check] { return run_gateway(*words, *only_check); };
    });
}

}  // namespace brigada
