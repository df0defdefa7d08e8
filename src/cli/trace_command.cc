// brigada trace: recorded or made-up traffic: looked at, turned from one format into another, made
// into a profile, made from one.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include "base/concat.h"
#include "base/file.h"
#include "base/joined.h"
#include "cli/commands.h"
#include "cli/load_words.h"
#include "cli/output_file.h"
#include "cli/text_table.h"
#include "trace/export_trace.h"
#include "trace/generator.h"
#include "trace/import_trace.h"
#include "trace/trace_edit.h"
#include "trace/trace_stats.h"
#include "trace/trace_text.h"

namespace brigada {

namespace {

/// The words of all subcommands; each takes those it needs.
struct TraceWords {
    std::vector<std::string> files = {};
    std::string from = {};
    bool lenient = false;
    uint32_t block_tokens = 16;

    std::string out = {};
    std::string to = "brigada";
    uint32_t first_sessions = 0;
    std::string spread = {}, longest_gap = {};

    bool json = false;
    std::string html = {};

    std::string profile = "claude-code";
    std::string name = "fitted";
    uint32_t users = 0;
    double sessions_per_hour = 0, cv = 1;
    std::string duration = "1h";
    uint32_t generated_block_tokens = 64;
    uint64_t seed = 1;
};

// --- files --------------------------------------------------------------------------------------

struct OpenFile {
    std::string name;
    Mapping bytes;
};

Result<Imported> import_files(const TraceWords& words) {
    ImportOptions options{.lenient = words.lenient, .block_tokens = words.block_tokens};
    if (!words.from.empty()) {
        TRY(options.format, trace_format(words.from));
    }
    std::vector<OpenFile> open;
    std::vector<TraceFile> files;
    for (const std::string& name : words.files) {
        TRY(Mapping bytes, Mapping::open(name));
        open.push_back({name, std::move(bytes)});
    }
    for (const OpenFile& file : open)
        files.push_back({file.name,
                         {reinterpret_cast<const char*>(file.bytes.bytes().data()),
                          file.bytes.bytes().size()}});
    TRY(Imported out, import_trace(files, options));
    for (const std::string& complaint : out.complaints)
        std::cerr << "skipped: " << complaint << '\n';
    if (out.skipped > out.complaints.size())
        std::cerr << "skipped: " << out.skipped - out.complaints.size() << " more\n";
    if (out.left_out > 0)
        std::cerr << concat(out.left_out, " records without an answer are left out\n");
    return out;
}

/// What goes to --out: packed where its name ends in .zst; standard output where it is empty.
class TraceOutput {
  public:
    static Result<TraceOutput> open(const std::string& path) {
        TRY(OutputFile file, OutputFile::open(path.empty() ? "-" : path));
        TraceOutput out(std::move(file));
        if (path.ends_with(".zst")) out.packer_ = std::make_unique<Packer>();
        return out;
    }

    void add(std::string_view text) {
        if (!packer_) return file_.add(text);
        packer_->add(text, [this](std::string_view packed) { file_.add(packed); });
    }

    Result<void> finish() {
        if (packer_) packer_->end([this](std::string_view packed) { file_.add(packed); });
        return file_.finish();
    }

  private:
    explicit TraceOutput(OutputFile file) : file_(std::move(file)) {}

    OutputFile file_;
    std::unique_ptr<Packer> packer_;
};

Result<void> write_text(TraceOutput& out, std::string_view text) {
    out.add(text);
    return out.finish();
}

/// Says on standard error what was written, so that standard output stays a trace.
Result<void> write_trace(const Trace& trace, ExportFormat format, TraceOutput& out) {
    TRY(export_trace(trace, format, [&](std::string_view piece) { out.add(piece); }));
    TRY(out.finish());
    std::cerr << concat(grouped(int64_t(trace.sessions.size())), " sessions, ",
                        grouped(int64_t(trace.calls())), " calls\n");
    return {};
}

// --- what they do -------------------------------------------------------------------------------

Result<void> edit(Trace& trace, const TraceWords& words) {
    if (words.first_sessions > 0) keep_first_sessions(trace, words.first_sessions);
    if (!words.longest_gap.empty()) {
        TRY(const Duration longest, duration_of("--longest-gap", words.longest_gap));
        cut_gaps(trace, longest);
    }
    if (!words.spread.empty()) {
        TRY(const Duration over, duration_of("--spread", words.spread));
        spread_starts(trace, over, words.seed);
    }
    return {};
}

Result<void> convert(const TraceWords& words) {
    TRY(const ExportFormat format, export_format(words.to));
    TRY(TraceOutput out, TraceOutput::open(words.out));
    TRY(Imported imported, import_files(words));
    TRY(edit(imported.trace, words));
    return write_trace(imported.trace, format, out);
}

Result<void> stats(const TraceWords& words) {
    TRY(OutputFile html, OutputFile::open(words.html));
    TRY(const Imported imported, import_files(words));
    const TraceStats out = stats_of(imported.trace);
    if (!words.html.empty()) {
        TRY(html.write(stats_page(out)));
        std::cerr << concat("written: ", words.html, "\n");
    }
    if (words.json)
        std::cout << to_json(out).dump(2) << '\n';
    else if (words.html.empty())
        std::cout << stats_text(out);
    return {};
}

Result<void> fit(const TraceWords& words) {
    TRY(TraceOutput out, TraceOutput::open(words.out));
    TRY(const Imported imported, import_files(words));
    const Profile profile = fit_profile(imported.trace, words.name);
    return write_text(out, dump_json(to_json(profile)) + "\n");
}

Result<void> make(const TraceWords& words) {
    TRY(const Profile profile, find_profile(words.profile));
    TRY(const Duration duration, duration_of("--duration", words.duration));
    TRY(const ExportFormat format, export_format(words.to));
    TRY(TraceOutput out, TraceOutput::open(words.out));
    const bool said_nothing = words.users == 0 && words.sessions_per_hour == 0;
    TRY(const Trace trace, generate(profile, {.users = said_nothing ? 20 : words.users,
                                              .sessions_per_hour = words.sessions_per_hour,
                                              .arrival_cv = words.cv,
                                              .duration = duration,
                                              .block_tokens = words.generated_block_tokens,
                                              .seed = words.seed}));
    return write_trace(trace, format, out);
}

Result<void> show_profile(const TraceWords& words) {
    TRY(const Profile profile, find_profile(words.profile));
    TRY(TraceOutput out, TraceOutput::open(words.out));
    return write_text(out, to_json(profile).dump(1) + "\n");
}

// --- how they are called ------------------------------------------------------------------------

using Words = std::shared_ptr<TraceWords>;

std::pair<CLI::App*, Words> add(CLI::App& group, Action& action, const char* name,
                                const char* about, Result<void> (*run)(const TraceWords&)) {
    CLI::App* command = group.add_subcommand(name, about);
    const auto words = std::make_shared<TraceWords>();
    command->callback([&action, run, words] { action = [run, words] { return run(*words); }; });
    return {command, words};
}

void takes_files(CLI::App* command, const Words& words) {
    command->add_option("files", words->files, "traces, plain or .zst, read as one")
        ->type_name("FILE...")
        ->required();
    command
        ->add_option("--from", words->from,
                     "their format, where the content doesn't tell it: mooncake, bailian, "
                     "kv-cache-tester, sessions, azure, burstgpt, sharegpt, tracelab, otel, "
                     "ledger, vllm, aiperf or brigada")
        ->type_name("FORMAT");
    command->add_flag("--lenient", words->lenient, "skip what is wrong in them, and count it");
    command
        ->add_option("--block-tokens", words->block_tokens,
                     "tokens of a block, where the format doesn't say")
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20));
}

void takes_output(CLI::App* command, const Words& words) {
    command->add_option("-o,--out", words->out, "a file; .zst packs it; else standard output")
        ->type_name("FILE");
}

void takes_format(CLI::App* command, const Words& words) {
    command->add_option("--to", words->to, "brigada, mooncake, kv-cache-tester or aiperf")
        ->type_name("FORMAT");
}

void takes_profile(CLI::App* command, const Words& words) {
    command
        ->add_option("profile", words->profile,
                     concat("a file, or ", joined(builtin_profile_names())))
        ->type_name("PROFILE");
}

void add_convert(CLI::App& group, Action& action) {
    const auto [command, words] =
        add(group, action, "convert", "read traces of any format, write one", convert);
    takes_files(command, words);
    takes_output(command, words);
    takes_format(command, words);
    command->add_option("--first", words->first_sessions, "only so many sessions")->type_name("N");
    command
        ->add_option("--spread", words->spread,
                     "let sessions begin at random within this time, as if of many people")
        ->type_name("TIME");
    command->add_option("--longest-gap", words->longest_gap, "cut longer gaps to this")
        ->type_name("TIME");
    command->add_option("--seed", words->seed, "of --spread")->type_name("N");
}

void add_stats(CLI::App& group, Action& action) {
    const auto [command, words] =
        add(group, action, "stats", "lengths, gaps, reuse and working set of traces", stats);
    takes_files(command, words);
    command->add_flag("--json", words->json, "for machines");
    command->add_option("--html", words->html, "write one page with charts")->type_name("FILE");
}

void add_fit(CLI::App& group, Action& action) {
    const auto [command, words] =
        add(group, action, "fit", "make a profile of traces, to generate or plan with", fit);
    takes_files(command, words);
    takes_output(command, words);
    command->add_option("--name", words->name, "of the profile")->type_name("NAME");
}

void add_generate(CLI::App& group, Action& action) {
    const auto [command, words] =
        add(group, action, "generate", "make up the traffic of so many people", make);
    takes_profile(command, words);
    takes_output(command, words);
    takes_format(command, words);
    command
        ->add_option("--users", words->users,
                     "people, each with one session after another; "
                     "20 where nothing is said")
        ->type_name("N");
    command
        ->add_option("--sessions-per-hour", words->sessions_per_hour,
                     "instead of users: sessions that begin whenever they do")
        ->type_name("N");
    command
        ->add_option("--cv", words->cv, "of the times between them; 1 is Poisson, more is bursts")
        ->type_name("X");
    command->add_option("--duration", words->duration, "as in 90s, 30m, 8h")->type_name("TIME");
    command->add_option("--block-tokens", words->generated_block_tokens, "tokens of a block")
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--seed", words->seed, "another one, another trace")->type_name("N");
}

void add_profile(CLI::App& group, Action& action) {
    const auto [command, words] =
        add(group, action, "profile", "print a profile, to be edited", show_profile);
    takes_profile(command, words);
    takes_output(command, words);
}

}  // namespace

void add_trace_command(CLI::App& app, Action& action) {
    CLI::App* group = app.add_subcommand("trace", "recorded and made-up traffic");
    group->require_subcommand(1);
    add_stats(*group, action);
    add_convert(*group, action);
    add_fit(*group, action);
    add_generate(*group, action);
    add_profile(*group, action);
    group->footer(
        "brigada trace stats sessions.jsonl.zst              what a trace is like\n"
        "brigada trace fit ledger.csv -o ours.json           a profile of one's own gateway's "
        "calls\n"
        "brigada trace generate ours.json --users 200 -o day.jsonl.zst");
}

}  // namespace brigada
