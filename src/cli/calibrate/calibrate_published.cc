// brigada calibrate published: fits the cost model to published figures and judges it on others.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/file.h"
#include "calibrate/published_report.h"
#include "cli/calibrate/calibrate_parts.h"
#include "cli/text_table.h"

namespace brigada {

namespace {

std::string whole_percent(const ErrorSummary& errors) {
    if (errors.figures == 0) return "-";
    return fmt::format("{:.0f} / {:.0f} %", 100 * errors.median, 100 * errors.p90);
}

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

Json figures_json(double ttft_s, double tpot_s, double output_tok_s) {
    return {{"ttft_s", ttft_s}, {"tpot_s", tpot_s}, {"output_tok_s", output_tok_s}};
}

/// What was not published is 0 there.
Json runs_json(const std::vector<JudgedRun>& runs) {
    const auto predicted = [](const UniformResult& r) {
        return figures_json(r.ttft_s, r.tpot_s, r.output_tok_s);
    };
    Json out = Json::array();
    for (const JudgedRun& one : runs)
        out.push_back(
            {{"row", one.run->row},
             {"model", one.run->model},
             {"published", figures_json(one.run->ttft_s, one.run->tpot_s, one.run->output_tok_s)},
             {"unfitted", predicted(one.unfitted)},
             {"fitted", predicted(one.fitted)}});
    return out;
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
        table.add({group.accelerator, group.engine,
                   grouped(static_cast<int64_t>(group.runs.size())),
                   whole_percent(group.unfitted.all), whole_percent(group.fitted.all),
                   whole_percent(group.fitted.ttft), whole_percent(group.fitted.tpot),
                   whole_percent(group.fitted.throughput)});
    std::cout << table.text(terminal_width())
              << "\nMedian / 90th percentile of |predicted / published - 1| "
                 "of each run;\nfitted to every other one. TTFT, TPOT and throughput are the "
                 "fitted model's.\n";
}

Result<void> run_published(const PublishedWords& words) {
    TRY(const std::string text, read_file(words.file, kMostCalibrationBytes));
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
                       {"runs", runs_json(group.runs)},
                       {"unfitted", to_json(group.unfitted)},
                       {"fitted", to_json(group.fitted)},
                       {"fit", to_json(group.fit)}});
    std::cout << out.dump(2) << '\n';
    return {};
}

}  // namespace

void add_calibrate_published(CLI::App& parent, Action& action) {
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

}  // namespace brigada
