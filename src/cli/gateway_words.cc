#include "cli/gateway_words.h"

#include <unistd.h>

#include <iostream>
#include <utility>

#include "base/concat.h"
#include "gateway/not_yet.h"

namespace brigada {

namespace {

bool speaks_to_people(const LogSettings& log) {
    return !log.file.empty() || log.format == LogFormat::text || ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

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

GatewayProgress tell_gateway(const LoadedConfig& loaded, std::string what) {
    const BrigadaSettings& settings = loaded.config.brigada;
    const auto tell = [speaks = speaks_to_people(settings.log)](const std::string& line) {
        if (speaks) note(line);
    };
    GatewayProgress out;
    out.warnings = loaded.warnings;
    out.ready = [tell, host = settings.listen.host, what = std::move(what)](uint16_t port) {
        tell(concat("ready: http://", host, ":", port, "/v1; ", what, "; Ctrl-C stops"));
    };
    out.draining = [tell] { tell("finishing running answers; a second Ctrl-C cuts them off"); };
    out.stopped = [tell](bool whole) {
        tell(whole ? "stopped" : "stopped; some answers were cut off");
    };
    return out;
}

}  // namespace brigada
