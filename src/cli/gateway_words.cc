#include "cli/gateway_words.h"

#include <iostream>

#include "base/concat.h"
#include "gateway/not_yet.h"

namespace brigada {

void add_gateway_options(CLI::App& command, GatewayWords& words) {
    command.add_option("--config", words.config, "config.yaml, as LiteLLM writes it")
        ->type_name("FILE");
    command.add_option("--listen", words.listen, "instead of the file's; :4000 for all addresses")
        ->type_name("ADDRESS");
    command.add_option("--data", words.data_dir, "folder of the ledger, keys and audit log")
        ->type_name("FOLDER");
}

Result<LoadedConfig> understand(const GatewayWords& words) {
    LoadedConfig loaded;
    if (!words.config.empty()) {
        TRY(loaded, load_config(words.config, process_environment));
    }
    for (std::string& line : not_yet(loaded.config))
        loaded.warnings.push_back(std::move(line));
    BrigadaSettings& settings = loaded.config.brigada;
    if (!words.listen.empty()) {
        TRY(settings.listen, parse_listen_address(words.listen));
    }
    if (!words.data_dir.empty()) settings.data_dir = words.data_dir;
    return loaded;
}

std::string describe(const GatewayConfig& config) {
    return concat(config.deployments.size(), " deployment",
                  config.deployments.size() == 1 ? "" : "s", ", data in ",
                  config.brigada.data_dir.string());
}

void note(const std::string& line) {
    std::cerr << line << std::endl;
}

GatewayProgress tell_gateway(const GatewayConfig& config, std::string what) {
    GatewayProgress out;
    out.ready = [host = config.brigada.listen.host, what = std::move(what)](uint16_t port) {
        note(concat("ready: http://", host, ":", port, "/v1; ", what, "; Ctrl-C stops"));
    };
    out.draining = [] { note("finishing running answers; a second Ctrl-C cuts them off"); };
    out.note = note;
    return out;
}

}  // namespace brigada
