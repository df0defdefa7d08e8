// brigada gateway: the front door before OpenAI- and Anthropic-compatible engines.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "base/concat.h"
#include "cli/commands.h"
#include "gateway/config/load_config.h"
#include "gateway/not_yet.h"
#include "gateway/serve_gateway.h"
#include "net/stop_signals.h"

namespace brigada {

namespace {

struct GatewayWords {
    std::string config;
    std::string listen;
    std::string data_dir;
    bool check = false;
};

void note(const std::string& line) {
    std::cerr << line << std::endl;
}

/// The configuration as the words want it, and all that is to be warned of.
Result<LoadedConfig> understand(const GatewayWords& words) {
    TRY(LoadedConfig loaded, load_config(words.config, process_environment));
    for (std::string& line : not_yet(loaded.config))
        loaded.warnings.push_back(std::move(line));
    BrigadaSettings& settings = loaded.config.brigada;
    if (!words.listen.empty()) {
        TRY(settings.listen, parse_listen_address(words.listen));
    }
    if (!words.data_dir.empty()) settings.data_dir = words.data_dir;
    if (loaded.config.general.master_key.empty())
        loaded.warnings.push_back("no general_settings.master_key, so nobody can make keys");
    return loaded;
}

std::string describe(const GatewayConfig& config) {
    return concat(config.deployments.size(), " deployment",
                  config.deployments.size() == 1 ? "" : "s", ", data in ",
                  config.brigada.data_dir.string());
}

Result<void> run_gateway(const GatewayWords& words) {
    block_stop_signals();
    block_reload_signal();
    TRY(LoadedConfig loaded, understand(words));
    for (const std::string& warning : loaded.warnings)
        note(concat("warning: ", warning));
    const GatewayConfig& config = loaded.config;
    if (words.check) {
        note(concat(words.config, " is good: ", describe(config)));
        return {};
    }
    const std::string host = config.brigada.listen.host;
    const std::string what = describe(config);
    TRY(const bool whole,
        serve_gateway(
            std::move(loaded.config), [&words] { return understand(words); },
            {.ready =
                 [&](uint16_t port) {
                     note(concat("ready: http://", host, ":", port, "/v1; ", what,
                                 "; Ctrl-C stops"));
                 },
             .draining = [] { note("finishing running answers; a second Ctrl-C cuts them off"); },
             .note = note}));
    note(whole ? "stopped" : "stopped; some answers were cut off");
    return {};
}

}  // namespace

void add_gateway_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("gateway", "stand before engines: keys, limits, ledger");
    const auto words = std::make_shared<GatewayWords>();
    command->add_option("--config", words->config, "config.yaml, as LiteLLM writes it")
        ->required()
        ->type_name("FILE");
    command->add_option("--listen", words->listen, "instead of the file's; :4000 for all addresses")
        ->type_name("ADDRESS");
    command->add_option("--data", words->data_dir, "folder of the ledger, keys and audit log")
        ->type_name("FOLDER");
    command->add_flag("--check", words->check,
                      "read the configuration, say what is wrong, and end");
    command->footer(
        "Calls: /v1/chat/completions, /v1/completions, /v1/embeddings, /v1/responses, "
        "/v1/messages,\n"
        "/v1/messages/count_tokens, /v1/models. Management with the master key, as LiteLLM has "
        "it:\n"
        "/key/*, /team/*, /user/*, /budget/*, /organization/*, /customer/*, /global/spend/report.\n"
        "/health, /health/readiness, /metrics.\n\n"
        "SIGHUP, or POST /config/reload with the master key, reads the file again; a faulty one\n"
        "leaves the old one in force. SIGTERM and Ctrl-C let running answers finish; a second one "
        "cuts them off.");
    command->callback([&action, words] { action = [words] { return run_gateway(*words); }; });
}

}  // namespace brigada
