// brigada calibrate log: replays the requests that an engine served and fits the cost model to
// them.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/file.h"
#include "calibrate/fit.h"
#include "cli/calibrate/calibrate_parts.h"
#include "cli/text_table.h"
#include "cost/cost_file.h"
#include "cost/known_fits.h"

namespace brigada {

namespace {

std::string fit_line(const EngineFit& fit) {
    return fmt::format(
        "mfu {:.2f}, mbu {:.2f}, {:.2f} ms a step, {:.0f} us a layer, {:.0f} us a sequence, links "
        "{:.2f}",
        fit.mfu, fit.mbu, 1e3 * fit.step_s, 1e6 * fit.layer_s, 1e6 * fit.sequence_s,
        fit.link_efficiency);
}

struct LogWords {
    std::string file, model, accelerator;
    std::string engine = "vLLM";
    uint32_t tp = 1, dp = 1, ep = 1;
    uint32_t step_tokens = 2048, max_num_seqs = 256, max_context = 32768, kv_blocks = 0;
    double utilisation = 0.9;
    bool json = false;
};

Result<LoggedRun> load_run(const LogWords& words) {
    LoggedRun run;
    run.name = words.file;
    TRY(const std::string text, read_file(words.file, kMostCalibrationBytes));
    TRY(run.log, read_request_log(text, words.file));
    Placement& d = run.placement;
    TRY(d.model, find_geometry(words.model));
    TRY(d.accelerator, find_accelerator(words.accelerator));
    d.tp = words.tp;
    d.dp = words.dp;
    d.ep = words.ep;
    d.utilisation = words.utilisation;
    d.max_context = words.max_context;
    TRY(const MemoryBudget budget, memory_budget(d));
    run.setup = {
        scheduler_like_vllm(words.step_tokens * d.dp, words.max_num_seqs * d.dp, d.max_context),
        words.kv_blocks};
    if (words.kv_blocks == 0)
        run.setup.kv_blocks = static_cast<uint32_t>(budget.kv_tokens / run.setup.block_tokens);
    return run;
}

/// One way to predict, and on what it is judged.
struct Judged {
    std::string name;
    EngineFit fit;
    RunError error;
};

Result<std::vector<Judged>> judge_all(const LoggedRun& run, const std::string& engine) {
    const EngineFit datasheet = default_fit(run.placement.accelerator, engine);
    std::vector<Judged> out = {{"datasheet, all requests", datasheet, {}},
                               {"fitted to even requests, judged on odd", {}, {}},
                               {"fitted to the first half, judged on the second", {}, {}},
                               {"fitted to all requests", {}, {}}};
    const Part fitted[] = {Part::all, Part::even, Part::first_half, Part::all};
    const Part judged[] = {Part::all, Part::odd, Part::second_half, Part::all};
    for (size_t i = 0; i < out.size(); ++i) {
        if (i > 0) {
            TRY(out[i].fit, fit_to(std::span(&run, 1), fitted[i], datasheet));
        }
        TRY(out[i].error, judge(run, out[i].fit, judged[i]));
    }
    out.back().fit.source = concat("fitted to ", run.log.size(), " requests of ", run.name);
    return out;
}

void print_judged(const std::vector<Judged>& all) {
    TextTable table({{"prediction"},
                     {"TTFT ms", true},
                     {"TPOT ms", true},
                     {"latency ms", true},
                     {"error", true},
                     {"", true},
                     {"", true}});
    const auto row = [&](const std::string& name, const MeanTimes& times, const RunError* error) {
        table.add({name, fmt::format("{:.0f}", 1e3 * times.ttft_s),
                   fmt::format("{:.2f}", 1e3 * times.tpot_s),
                   fmt::format("{:.0f}", 1e3 * times.latency_s),
                   error ? signed_percent(error->ttft()) : "",
                   error ? signed_percent(error->tpot()) : "",
                   error ? signed_percent(error->latency()) : ""});
    };
    row("measured, all requests", all.front().error.measured, nullptr);
    for (const Judged& one : all)
        row(one.name, one.error.predicted, &one.error);
    std::cout << table.text(terminal_width()) << "\n";
    for (const Judged& one : all)
        std::cout << one.name << ": " << fit_line(one.fit) << '\n';
}

Json to_json(const Judged& one) {
    const auto times = [](const MeanTimes& t) {
        return Json{{"ttft_s", t.ttft_s}, {"tpot_s", t.tpot_s}, {"latency_s", t.latency_s}};
    };
    return {{"prediction", one.name},
            {"measured", times(one.error.measured)},
            {"predicted", times(one.error.predicted)},
            {"error",
             {{"ttft", one.error.ttft()},
              {"tpot", one.error.tpot()},
              {"latency", one.error.latency()}}},
            {"fit", to_json(one.fit)}};
}

Result<void> run_log(const LogWords& words) {
    TRY(const LoggedRun run, load_run(words));
    TRY(const std::vector<Judged> all, judge_all(run, words.engine));
    if (!words.json) {
        print_judged(all);
        return {};
    }
    Json predictions = Json::array();
    for (const Judged& one : all)
        predictions.push_back(to_json(one));
    const Json out = {{"accelerator", run.placement.accelerator.name},
                      {"engine", words.engine},
                      {"fit", to_json(all.back().fit)},
                      {"coefficients", to_json(step_coefficients(run.placement, all.back().fit))},
                      {"predictions", predictions}};
    std::cout << out.dump(2) << '\n';
    return {};
}

}  // namespace

void add_calibrate_log(CLI::App& parent, Action& action) {
    CLI::App* command = parent.add_subcommand(
        "log", "fit to the requests that an engine served, by replaying them");
    const auto words = std::make_shared<LogWords>();
    command->add_option("file", words->file, "CSV of requests; see below")
        ->required()
        ->type_name("FILE");
    command->add_option("--model", words->model, "a model of the catalogue, or its folder or file")
        ->required()
        ->type_name("MODEL");
    command->add_option("--accelerator", words->accelerator, "one of the catalogue, as in h100")
        ->required()
        ->type_name("NAME");
    command->add_option("--engine", words->engine, "vLLM, SGLang, TensorRT-LLM or llama.cpp")
        ->type_name("NAME");
    command->add_option("--tp", words->tp, "tensor parallel ranks")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command->add_option("--dp", words->dp, "data parallel ranks")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command->add_option("--ep", words->ep, "expert parallel ranks: 1, or tp x dp")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("--max-num-batched-tokens", words->step_tokens,
                     "tokens of a step, on each data parallel rank")
        ->type_name("N");
    command->add_option("--max-num-seqs", words->max_num_seqs, "sequences in it, likewise")
        ->type_name("N");
    command->add_option("--max-context", words->max_context, "tokens of one sequence")
        ->type_name("N");
    command
        ->add_option("--kv-blocks", words->kv_blocks,
                     "blocks of 16 tokens, as the engine reports; 0: what should fit")
        ->type_name("N");
    command
        ->add_option("--utilisation", words->utilisation,
                     "share of the memory that the engine takes")
        ->type_name("SHARE")
        ->check(CLI::Range(0.05, 1.0));
    command->add_flag("--json", words->json, "for machines; it can be used as a cost file");
    command->footer(
        "FILE has the columns input_tokens, output_tokens, arrival_s, first_token_s and\n"
        "last_token_s; others are passed over. The requests are replayed through this program's "
        "own\n"
        "scheduler, set to batch as vLLM does, and the fit is judged on requests that it has not\n"
        "seen. Prompts are taken to share nothing.");
    command->callback([&action, words] { action = [words] { return run_log(*words); }; });
}

}  // namespace brigada
