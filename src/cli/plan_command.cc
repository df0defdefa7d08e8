// brigada plan: how many accelerators of what kind so many people need, what that costs, and why.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "base/concat.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/plan/plan_questions.h"
#include "cli/plan/plan_text.h"
#include "cli/text_table.h"
#include "plan/emit/emit.h"
#include "plan/html/plan_page.h"
#include "plan/verify.h"
#include "trace/import_trace.h"

namespace brigada {

namespace {

constexpr size_t kMaxPlanBytes = 1 << 20;
constexpr size_t kMaxTraceBytes = size_t{1} << 30;

struct PlanOptions {
    std::string file = {};
    std::map<std::string, std::vector<std::string>> flags = {};
    std::vector<std::string> fleets = {};
    std::string trace = {};
    std::string html = {};
    std::string emit_folder = {};
    bool json = false;
    bool explain = false;
    bool all = false;
    bool verify = false;
    uint64_t seed = 1;
};

PlanWords words_of_flags(const PlanOptions& options) {
    PlanWords words;
    for (const auto& [field, texts] : options.flags) {
        if (texts.empty()) continue;
        std::vector<PlanWord> said;
        for (const std::string& text : texts)
            said.push_back({.text = text, .place = concat("--", field)});
        words.say(field, std::move(said));
    }
    return words;
}

/// The file, then the flags; or, when nothing was said, answers to questions.
Result<PlanWords> words_of(const PlanOptions& options) {
    PlanWords words;
    if (!options.file.empty()) {
        TRY(const std::string text, read_file(options.file, kMaxPlanBytes));
        TRY(words, read_plan_yaml(text, options.file));
    }
    words.add(words_of_flags(options));
    if (!words.empty() || !options.file.empty()) return words;
    if (::isatty(STDIN_FILENO) == 1) return ask_for_plan(std::cin, std::cerr);
    return Error{Code::invalid_argument,
                 "nothing to plan: say at least --model, as in brigada plan --developers 20 "
                 "--model qwen3-32b --gpu h100 (on a terminal, questions are asked)"};
}

Result<void> emit_files(const PlanReport& report, const std::filesystem::path& folder) {
    if (!report.chosen)
        return Error{Code::not_found,
                     concat("--emit: there is no plan to emit; ", nearest_text(report.result))};
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return Error{Code::io, concat(folder.string(), ": ", failed.message())};
    for (const EmittedFile& file : emit(report.request, *report.chosen)) {
        TRY(write_file(folder / file.name, file.text));
        if (file.is_program)
            std::filesystem::permissions(folder / file.name, std::filesystem::perms::owner_exec,
                                         std::filesystem::perm_options::add, failed);
        std::cerr << "wrote " << (folder / file.name).string() << '\n';
    }
    return {};
}

Result<void> show_fleets(const PlanOptions& options, PlanRequest request) {
    if (!request.targets.any()) request.targets = default_targets();
    request.workload = fitted_to_context(std::move(request.workload), context_limit(request.model));
    TRY(check_request(request));
    std::vector<CarriedFleet> carried;
    for (const std::string& text : options.fleets) {
        TRY(const PlanFleet fleet, parse_fleet(text));
        carried.push_back(carried_by(request, fleet));
    }
    if (options.json) {
        Json out = Json::array();
        for (const CarriedFleet& fleet : carried)
            out.push_back(to_json(fleet));
        std::cout << out.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    } else {
        std::cout << fleets_text(carried, terminal_width());
    }
    return {};
}

/// The plan beside its simulation; for a page its sliders, too.
Result<void> simulate(const PlanOptions& options, PlanReport& report) {
    TRY(report.verification, verify(report.request, *report.chosen, options.seed));
    if (options.html.empty()) return {};
    std::cerr << "simulating what the page's sliders show\n";
    TRY(report.grid, simulated_grid(report.request, *report.chosen, options.seed));
    report.grid_is_simulated = true;
    return {};
}

void print(const PlanOptions& options, const PlanReport& report) {
    if (options.json)
        std::cout << to_json(report).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    else if (options.explain && report.chosen)
        std::cout << headline(report) << "\n\n" << page_text(report.page);
    else
        std::cout << plan_text(report, options.all, terminal_width());
}

Result<Trace> recorded(const std::string& path) {
    TRY(const std::string bytes, read_file(path, kMaxTraceBytes));
    const TraceFile file{.name = path, .bytes = bytes};
    TRY(Imported imported, import_trace({&file, 1}, {}));
    return std::move(imported.trace);
}

Result<PlanRequest> request_of(const PlanOptions& options, const PlanWords& words) {
    TRY(PlanRequest request, understand(words));
    if (options.trace.empty()) return request;
    if (words.has("profile"))
        return Error{Code::invalid_argument,
                     "--trace: contradicts the profile; give one of the two"};
    TRY(const Trace trace, recorded(options.trace));
    TRY(request.workload, recorded_workload(trace, context_limit(request.model)));
    request.profile = fit_profile(trace, request.workload.name);
    return request;
}

Result<void> run_plan(const PlanOptions& options) {
    TRY(OutputFile html, OutputFile::open(options.html));
    TRY(const PlanWords words, words_of(options));
    TRY(PlanRequest request, request_of(options, words));
    if (!options.fleets.empty()) return show_fleets(options, std::move(request));
    TRY(PlanReport report, make_plan(std::move(request)));
    if (options.verify && report.chosen) TRY(simulate(options, report));
    print(options, report);
    if (!options.html.empty()) {
        TRY(html.write(plan_page(report)));
    }
    if (!options.emit_folder.empty()) {
        TRY(emit_files(report, options.emit_folder));
    }
    if (report.chosen) return {};
    return Error{Code::not_found, nearest_text(report.result)};
}

void add_fields(CLI::App& command, PlanOptions& options) {
    for (const PlanField& field : plan_fields()) {
        std::string help = field.help;
        if (!field.standard.empty()) help += concat(" (", field.standard, ")");
        CLI::Option* option =
            command.add_option("--" + field.name, options.flags[field.name], help)
                ->type_name(field.type)
                ->default_str("");
        if (field.is_list)
            option->delimiter(',');
        else
            option->expected(1);
    }
}

}  // namespace

void add_plan_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("plan", "how many accelerators so many people need");
    const auto options = std::make_shared<PlanOptions>();
    command->add_option("file", options->file, "a plan in YAML, with the options' names")
        ->type_name("FILE");
    add_fields(*command, *options);
    command
        ->add_option("--fleet", options->fleets,
                     "what this fleet carries, as in '4 x rtx-4090 @ 0.30 + 2 x h100'")
        ->type_name("FLEET")
        ->default_str("");
    command
        ->add_option("--trace,--ledger", options->trace,
                     "what people do, from a recording in any format that brigada reads; also "
                     "what `brigada ledger export` wrote of one's own gateway")
        ->type_name("FILE")
        ->default_str("");
    command->add_flag("--explain", options->explain, "the page of arithmetic");
    command->add_flag("--all", options->all, "all candidates, and all reasons against others");
    command->add_flag("--verify", options->verify,
                      "simulate the plan beside the closed form, how many people it holds, and "
                      "the page's sliders");
    command->add_option("--seed", options->seed, "of the simulation")->type_name("N");
    command->add_flag("--json", options->json, "everything, for machines");
    command->add_option("--html", options->html, "a page with charts and sliders into this file")
        ->type_name("FILE");
    command
        ->add_option("--emit", options->emit_folder,
                     "engines' command lines, the gateway's config and alarms into this folder")
        ->type_name("FOLDER");
    command->footer(
        "Options count before the file. Without any, on a terminal, questions are asked.\n\n"
        "  brigada plan --developers 20 --model qwen3-32b --gpu h100,rtx-4090 --explain\n\n"
        "docs/planning.md explains every number.");
    command->callback([&action, options] { action = [options] { return run_plan(*options); }; });
}

}  // namespace brigada
