// brigada calibrate: fits the cost model of planner and simulator to what was measured: steps of
// this machine's own engine, the request log of another, or published figures.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>

#include "calibrate/engine_probe.h"
#include "calibrate/fit.h"
#include "calibrate/published_report.h"
#include "cli/commands.h"
#include "cli/pull_display.h"
#include "cli/serve_words.h"
#include "cli/text_table.h"
#include "cost/cost_file.h"
#include "cost/known_fits.h"
#include "model/model.h"

namespace brigada {

namespace {

constexpr size_t kMostBytes = 256 << 20;

std::string percent(double share) {
    return fmt::format("{:+.1f} %", 100 * share);
}

std::string whole_percent(const ErrorSummary& errors) {
    if (errors.figures == 0) return "-";
    return fmt::format("{:.0f} / {:.0f} %", 100 * errors.median, 100 * errors.p90);
}

Json to_json(const EngineFit& fit) {
    return {{"mfu", fit.mfu},
            {"mbu", fit.mbu},
            {"step_s", fit.step_s},
            {"layer_s", fit.layer_s},
            {"sequence_s", fit.sequence_s},
            {"link_efficiency", fit.link_efficiency},
            {"source", fit.source}};
}

std::string fit_line(const EngineFit& fit) {
    return fmt::format(
        "mfu {:.2f}, mbu {:.2f}, {:.2f} ms a step, {:.0f} us a layer, {:.0f} us a sequence, links "
        "{:.2f}",
        fit.mfu, fit.mbu, 1e3 * fit.step_s, 1e6 * fit.layer_s, 1e6 * fit.sequence_s,
        fit.link_efficiency);
}

// --- this machine's engine ----------------------------------------------------------------------

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
                   fmt::format("{:.2f}", 1e3 * groups[i].seconds), percent(errors[i])});
    std::cout << table.text(terminal_width());
}

Result<void> write_text(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << '\n';
    file.flush();
    if (file) return {};
    return Error{Code::io, concat(path, " cannot be written")};
}

Result<void> run_engine(const EngineWords& words) {
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
    if (!words.out.empty()) {
        TRY(write_text(words.out, file.dump(2)));
    }
    if (words.json || words.out.empty()) {
        std::cout << file.dump(2) << '\n';
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

void add_engine(CLI::App& parent, Action& action) {
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

// --- a request log ------------------------------------------------------------------------------

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
    TRY(const std::string text, read_file(words.file, kMostBytes));
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
                   error ? percent(error->ttft()) : "", error ? percent(error->tpot()) : "",
                   error ? percent(error->latency()) : ""});
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

void add_log(CLI::App& parent, Action& action) {
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

// --- published figures --------------------------------------------------------------------------

struct PublishedWords {
    std::string file;
    bool json = false;
};

Json to_json(const PublishedErrors& errors) {
    const auto summary = [](const ErrorSummary& s) {
        return Json{{"figures", s.figures}, {"median", s.median}, {"p90", s.p90}};
    };
    return {{"ttft", summary(errors.ttft)},
            {"tpot", summary(errors.tpot)},
            {"throughput", summary(errors.throughput)},
            {"all", summary(errors.all)}};
}

void print_groups(const std::vector<PublishedGroup>& groups) {
    TextTable table({{"accelerator"},
                     {"engine"},
                     {"runs", true},
                     {"unfitted", true},
                     {"fitted", true},
                     {"TTFT", true},
                     {"TPOT", true},
                     {"throughput", true}});
    for (const PublishedGroup& group : groups)
        table.add({group.accelerator, group.engine, grouped(static_cast<int64_t>(group.runs)),
                   whole_percent(group.unfitted.all), whole_percent(group.fitted.all),
                   whole_percent(group.fitted.ttft), whole_percent(group.fitted.tpot),
                   whole_percent(group.fitted.throughput)});
    std::cout << table.text(terminal_width())
              << "\nMedian / 90th percentile of |predicted / published - 1| on every other run; "
                 "fitted to\nthose between. TTFT, TPOT and throughput are the fitted model's.\n";
}

Result<void> run_published(const PublishedWords& words) {
    TRY(const std::string text, read_file(words.file, kMostBytes));
    TRY(const PublishedTable table, read_published_runs(text, words.file));
    const std::vector<PublishedGroup> groups = report_on(table.runs);
    for (const std::string& line : table.left_out)
        std::cerr << "left out: " << line << '\n';
    if (!words.json) {
        print_groups(groups);
        return {};
    }
    Json out = Json::array();
    for (const PublishedGroup& group : groups)
        out.push_back({{"accelerator", group.accelerator},
                       {"engine", group.engine},
                       {"runs", group.runs},
                       {"unfitted", to_json(group.unfitted)},
                       {"fitted", to_json(group.fitted)},
                       {"fit", to_json(group.fit)}});
    std::cout << out.dump(2) << '\n';
    return {};
}

void add_published(CLI::App& parent, Action& action) {
    CLI::App* command =
        parent.add_subcommand("published", "fit to published figures, by accelerator and engine");
    const auto words = std::make_shared<PublishedWords>();
    command->add_option("file", words->file, "CSV of runs; see below")
        ->required()
        ->type_name("FILE");
    command->add_flag("--json", words->json, "for machines, with the fits");
    command->footer(
        "FILE has the columns model, accelerator, tp, dp, ep, engine, weights, kv, prompt_tokens,\n"
        "output_tokens, load (closed:C, burst:N or batch:B), ttft_ms, tpot_ms, output_tok_s and\n"
        "source, as testdata/calibration/published_points.csv.");
    command->callback([&action, words] { action = [words] { return run_published(*words); }; });
}

}  // namespace

void add_calibrate_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "calibrate", "fit the cost model of planner and simulator to what was measured");
    command->require_subcommand(1);
    add_engine(*command, action);
    add_log(*command, action);
    add_published(*command, action);
}

}  // namespace brigada
