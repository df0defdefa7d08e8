// brigada load: drives a live endpoint with sessions of agents and says what it measured.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <iostream>
#include <memory>

#include "base/concat.h"
#include "base/wall_time.h"
#include "cli/commands.h"
#include "cli/load_display.h"
#include "cli/load_words.h"
#include "cli/output_file.h"
#include "load/compare.h"
#include "load/report.h"
#include "net/fetch.h"
#include "net/stop_signals.h"

namespace brigada {

namespace {

constexpr Duration kLook = Duration::milliseconds(100);
constexpr size_t kMaxReportBytes = size_t{1} << 30;

std::string utc(WallTime time) {
    const std::time_t seconds = time.ns / 1'000'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

/// The first model that the endpoint lists.
Result<std::string> first_model(const LoadTarget& target) {
    HttpCall call = call_head(target, {.session = "load"});
    call.method = HttpMethod::get;
    call.target = concat(target.base_path, "/models");
    Fetcher fetcher;
    auto answer = fetcher.fetch(call);
    if (!answer.ok()) return std::move(answer).error();
    const Error none{Code::not_found,
                     concat("the endpoint lists no model at ", call.target, " (HTTP ",
                            answer->status, "); name one with --model")};
    const auto body = parse_json(answer->body, "models");
    if (answer->status != 200 || !body.ok() || !body->is_object()) return none;
    const Json models = body->value("data", Json::array());
    if (!models.is_array() || models.empty() || !models[0].is_object()) return none;
    const std::string id = models[0].value("id", "");
    if (id.empty()) return none;
    return id;
}

bool has_tool_results(const Trace& trace) {
    for (const TraceSession& session : trace.sessions)
        for (size_t i = 1; i < session.calls.size(); ++i)
            if (!session.calls[i].user) return true;
    return false;
}

/// Where the report goes beside standard output.
struct ReportFiles {
    OutputFile json, csv, html;

    static Result<ReportFiles> open(const LoadWords& words) {
        TRY(OutputFile json, OutputFile::open(words.json_file));
        TRY(OutputFile csv, OutputFile::open(words.csv_file));
        TRY(OutputFile html, OutputFile::open(words.html_file));
        return ReportFiles{std::move(json), std::move(csv), std::move(html)};
    }
};

/// Until it is over, or Ctrl-C: then with what was measured up to there.
void watch(LoadRun& run, LoadDisplay* display) {
    for (;;) {
        const LoadProgress progress = run.wait(kLook);
        if (display) display->show(progress);
        if (progress.over) return;
        if (!stop_requested()) continue;
        if (display) display->note("stopping");
        run.interrupt();
    }
}

void tell_probe(const ProbeFacts& facts, LoadDisplay* display) {
    if (!display) return;
    if (facts.tools_refused)
        display->note(
            concat("the endpoint refuses tools, so their results are sent as the user's "
                   "words: ",
                   facts.tools_error));
    if (facts.tokenizer_differs)
        display->note(
            "--tokenizer is not the endpoint's: its counts differ; lengths are estimated "
            "instead");
    if (!facts.believed)
        display->note(
            "the endpoint's token counts don't follow the prompt: lengths are as planned "
            "only roughly");
}

Result<void> tell(const LoadWords& words, const LoadReport& report, ReportFiles& files) {
    const std::string json = dump_json(report_json(report)) + "\n";
    std::cout << (words.json ? json : report_text(report)) << std::flush;
    TRY(files.json.write(json));
    TRY(files.csv.write(report_csv(report)));
    TRY(files.html.write(report_html(report)));
    const LoadFigures& figures = report.figures;
    if (figures.failure_share() > words.max_failures)
        return Error{
            Code::unavailable,
            fmt::format("{} of {} calls failed, more than --max-failures {} allows", figures.failed,
                        figures.failed + figures.finished, words.max_failures)};
    if (figures.finished == 0)
        return Error{Code::unavailable, "no call was answered in the time that was measured"};
    return {};
}

Result<void> run_load(const LoadWords& words) {
    block_stop_signals();
    TRY(ReportFiles files, ReportFiles::open(words));
    TRY(LoadTarget target, load_target(words));
    TRY(const PlayOptions play, play_options(words, !words.traces.empty()));
    TRY(const SloTargets targets, slo_targets(words));
    TRY(const LoadWorkload workload, load_workload(words));
    const Trace& trace = workload.trace;
    TRY(const LoadTokenizer tokenizer, load_tokenizer(words.tokenizer));
    if (target.model.empty()) {
        TRY(target.model, first_model(target));
    }
    const WallTime started = WallClock().now();
    LoadOptions options{.target = target,
                        .play = play,
                        .warm_up = {},
                        .retries = words.retries,
                        .uses_tools = has_tool_results(trace),
                        .tokenizer = tokenizer.get(),
                        .run_name = fmt::format("load-{:x}", started.ns)};
    TRY(options.warm_up, duration_of("--warm-up", words.warm_up));
    TRY(options.drain, duration_of("--drain", words.drain));
    LoadReport report{.url = words.url,
                      .model = target.model,
                      .api = words.api,
                      .workload = workload.words,
                      .pace = pace_in_words(play),
                      .started = utc(started),
                      .seed = words.seed,
                      .warm_up = options.warm_up,
                      .targets = targets};

    std::optional<LoadDisplay> display;
    if (!words.quiet) display.emplace(std::cerr, ::isatty(STDERR_FILENO) == 1);
    LoadDisplay* const shown = display ? &*display : nullptr;
    {
        LoadRun run(trace, std::move(options));
        if (!words.no_probe) {
            auto facts = run.probe(stop_requested);
            if (!facts.ok()) return std::move(facts).error().in(words.url);
            tell_probe(*facts, shown);
        }
        run.start();
        watch(run, shown);
        report.measured = run.take();
    }
    display.reset();
    report.figures =
        figures_of(report.measured.results, report.measured.gaps, report.measured.window, targets);
    return tell(words, report, files);
}

struct CompareWords {
    std::string a, b;
    bool json = false;
};

Result<Json> read_report(const std::string& path) {
    TRY(const std::string text, read_file(path, kMaxReportBytes));
    return parse_json(text, path);
}

Result<void> run_compare(const CompareWords& words) {
    TRY(const Json a, read_report(words.a));
    TRY(const Json b, read_report(words.b));
    TRY(const LoadComparison comparison, compare_reports(a, b, 1));
    std::cout << (words.json ? comparison_json(comparison).dump(2) + "\n"
                             : comparison_text(comparison));
    return {};
}

void add_compare(CLI::App& load, Action& action) {
    CLI::App* command =
        load.add_subcommand("compare", "what differs between two runs, and how surely");
    const auto words = std::make_shared<CompareWords>();
    command->add_option("a", words->a, "written by --json-file")->required()->type_name("A.json");
    command->add_option("b", words->b, "the other run")->required()->type_name("B.json");
    command->add_flag("--json", words->json, "for machines");
    command->callback([&action, words] { action = [words] { return run_compare(*words); }; });
}

}  // namespace

void add_load_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("load", "drive a live endpoint and measure it");
    const auto words = std::make_shared<LoadWords>();
    add_load_options(*command, *words);
    command->footer(
        "Prompts are real text of the asked number of tokens; each call of a session begins with "
        "all of the\n"
        "one before it, and with a made-up answer in place of the endpoint's, so that every "
        "endpoint gets the\n"
        "same prompts. Ctrl-C ends with the report of what was measured. TTFT counts from the "
        "request sent in\n"
        "full. Exit code 1: more calls failed than --max-failures allows, or none was answered.\n\n"
        "  brigada load --sessions 8 --turns 10 --prompt-tokens 4000 --shared-prefix 3000\n"
        "  brigada load --url http://127.0.0.1:8000 --rate 2 --duration 5m --json-file a.json\n"
        "  brigada load compare a.json b.json");
    add_compare(*command, action);
    command->callback([command, &action, words] {
        if (command->get_subcommands().empty()) action = [words] { return run_load(*words); };
    });
}

}  // namespace brigada
