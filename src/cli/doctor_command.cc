// brigada doctor: what would stop or surprise a gateway, and what would mend it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/concat.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "gateway/doctor/doctor.h"

namespace brigada {

namespace {

struct DoctorWords {
    std::string config;
    std::string listen;
    std::string data_dir;
    bool json = false;
};

Result<void> change(GatewayConfig& config, const DoctorWords& words) {
    if (!words.listen.empty()) {
        TRY(config.brigada.listen, parse_listen_address(words.listen));
    }
    if (!words.data_dir.empty()) config.brigada.data_dir = words.data_dir;
    return {};
}

void print(const Finding& finding) {
    std::cout << fmt::format("{:<7}  {:<9}  {}\n", to_string(finding.verdict), finding.check,
                             harmless(finding.says));
    if (!finding.mend.empty())
        std::cout << fmt::format("{:<7}  {:<9}  -> {}\n", "", "", harmless(finding.mend));
}

Json to_json(const Finding& finding) {
    return {{"check", finding.check},
            {"verdict", to_string(finding.verdict)},
            {"says", finding.says},
            {"mend", finding.mend.empty() ? Json() : Json(finding.mend)}};
}

Result<void> run_doctor(const DoctorWords& words) {
    const std::vector<Finding> findings =
        examine(words.config, process_environment,
                [&](GatewayConfig& config) { return change(config, words); });
    Json all = Json::array();
    for (const Finding& finding : findings)
        words.json ? all.push_back(to_json(finding)) : print(finding);
    if (words.json) std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    const auto faults = std::ranges::count(findings, Verdict::fault, &Finding::verdict);
    if (faults == 0) return {};
    return Error{Code::invalid_argument, concat(faults, faults == 1 ? " fault" : " faults")};
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("doctor", "look at a gateway's set-up, and what ails it");
    const auto words = std::make_shared<DoctorWords>();
    command->add_option("--config", words->config, "config.yaml, as for brigada gateway")
        ->required()
        ->type_name("FILE");
    command->add_option("--listen", words->listen, "instead of the file's")->type_name("ADDRESS");
    command->add_option("--data", words->data_dir, "instead of the file's")->type_name("FOLDER");
    command->add_flag("--json", words->json, "for machines");
    command->footer(
        "Looks at the configuration, the data folder, the stores, the address to listen on, "
        "limits\n"
        "of open files, the clock, the tokenizers, and asks each upstream for its models. Changes\n"
        "nothing; a gateway may be running. Exit code 1 when there is a fault.");
    command->callback([&action, words] { action = [words] { return run_doctor(*words); }; });
}

}  // namespace brigada
