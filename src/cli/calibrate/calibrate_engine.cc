// brigada calibrate engine: times steps of this machine's own engine and fits coefficients to them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "calibrate/engine_probe.h"
#include "cli/calibrate/calibrate_parts.h"
#include "cli/output_file.h"
#include "cli/pull_display.h"
#include "cli/serve_words.h"
#include "cli/text_table.h"
#include "cost/cost_file.h"
#include "model/model.h"

namespace brigada {

namespace {

struct EngineWords {
    ServeWords serve;
    uint32_t seconds = 90;
    uint32_t longest = 4096;
    std::string out;
    bool json = false;
};

Json scheduler_json(const SchedulerConfig& sched) {
    return {{"step_tokens", sched.step_tokens},
            {"max_running", sched.max_running},
            {"long_prefill_threshold", sched.long_prefill_threshold}};
}

Json groups_json(const std::vector<StepGroup>& groups, const std::vector<double>& errors) {
    Json out = Json::array();
    for (size_t i = 0; i < groups.size(); ++i)
        out.push_back({{"steps", groups[i].name},
                       {"count", groups[i].steps},
                       {"seconds", groups[i].seconds},
                       {"error", errors[i]}});
    return out;
}

double share_of(std::vector<double> errors, double share) {
    for (double& error : errors)
        error = std::abs(error);
    std::ranges::sort(errors);
    return errors[static_cast<size_t>(share * static_cast<double>(errors.size() - 1))];
}

void print_groups(const std::vector<StepGroup>& groups, const std::vector<double>& errors) {
    TextTable table({{"step"}, {"seen", true}, {"ms", true}, {"predicted", true}});
    for (size_t i = 0; i < groups.size(); ++i)
        table.add({groups[i].name, grouped(static_cast<int64_t>(groups[i].steps)),
                   fmt::format("{:.2f}", 1e3 * groups[i].seconds), signed_percent(errors[i])});
    std::cout << table.text(terminal_width());
}

Result<void> run_engine(const EngineWords& words) {
    TRY(OutputFile out, OutputFile::open(words.out));
    TRY(const ServeOptions serve, understand(words.serve));
    PullDisplay display(std::cerr, ::isatty(STDERR_FILENO) == 1, false);
    TRY(const Model model, open_model(serve.model_path));
    const ProbeOptions options{.time = Duration::seconds(words.seconds),
                               .longest_context = words.longest};
    TRY(const ProbeResult probed,
        probe_engine(model, serve.engine, options,
                     [&](const std::string& what) { display.note(what); }));
    const std::vector<StepGroup> groups = group_steps(probed.steps);
    const StepCost cost(fit_steps(groups));
    const std::vector<double> errors = step_errors(groups, cost);

    const Json file = {{"model", serve.model_name},
                       {"engine", facts_line(probed.facts)},
                       {"kv_tokens", uint64_t{probed.facts.kv_blocks} * kKvBlockTokens},
                       {"scheduler", scheduler_json(serve.engine.sched)},
                       {"coefficients", to_json(cost.coefficients())},
                       {"error_median", share_of(errors, 0.5)},
                       {"error_p90", share_of(errors, 0.9)},
                       {"steps", groups_json(groups, errors)}};
    const std::string text = file.dump(2) + "\n";
    TRY(out.write(text));
    if (words.json || words.out.empty()) {
        std::cout << text;
        return {};
    }
    print_groups(groups, errors);
    display.note(
        fmt::format("{} steps of {} shapes; predicted within {:.1f} % (median), {:.1f} % "
                    "(p90); written to {}",
                    probed.steps.size(), groups.size(), 100 * share_of(errors, 0.5),
                    100 * share_of(errors, 0.9), words.out));
    return {};
}

}  // namespace

void add_calibrate_engine(CLI::App& parent, Action& action) {
    CLI::App* command =
        parent.add_subcommand("engine", "time this machine's own engine with a model");
    const auto words = std::make_shared<EngineWords>();
    command
        ->add_option("model", words->serve.model,
                     "a pulled model, a .gguf file or a folder with safetensors")
        ->required()
        ->type_name("MODEL");
    command->add_option("--seconds", words->seconds, "how long to measure, about")
        ->type_name("N")
        ->check(CLI::Range(1, 3600));
    command->add_option("--longest", words->longest, "tokens of the longest prompt")
        ->type_name("TOKENS")
        ->check(CLI::Range(128, 1 << 20));
    command->add_option("--out", words->out, "where the cost file goes; else it is printed")
        ->type_name("FILE");
    command->add_flag("--json", words->json, "print the cost file in any case");
    add_engine_options(*command, words->serve);
    add_scheduler_options(*command, words->serve.options.engine.sched);
    command->footer(
        "Reads prompts and answers in many sizes, alone and together, and fits the coefficients "
        "of\n"
        "the cost model to the time of each step. brigada simulate and brigada plan read the file\n"
        "with --cost. Leave the machine to it meanwhile.");
    command->callback([&action, words] { action = [words] { return run_engine(*words); }; });
}

}  // namespace brigada
