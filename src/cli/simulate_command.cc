// brigada simulate: a fleet in virtual time, with the production scheduler, KV books, router and
// admission; policies beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/file.h"
#include "base/heap.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/simulate_page.h"
#include "cli/simulate_words.h"
#include "sim/perfetto.h"
#include "trace/generator.h"
#include "trace/import_trace.h"
#include "trace/profile.h"

namespace brigada {

namespace {

constexpr size_t kMostTraceBytes = size_t{4} << 30;

Result<Trace> read_traces(const std::vector<std::string>& names) {
    std::vector<std::string> texts;
    std::vector<TraceFile> files;
    texts.reserve(names.size());
    for (const std::string& name : names) {
        TRY(texts.emplace_back(), read_file(name, kMostTraceBytes));
        files.push_back({name, texts.back()});
    }
    TRY(Imported imported, import_trace(files, {}));
    return std::move(imported.trace);
}

/// People whose agents compact what the replica could not take.
Result<Profile> profile_of(const SimulateWords& words, const SimReplica& replica) {
    TRY(Profile profile, find_profile(words.profile));
    const uint64_t room = std::min<uint64_t>(replica.scheduler.max_context, replica.kv_tokens);
    compact_at(profile, static_cast<uint32_t>(std::max<uint64_t>(room, 2) - 1));
    return profile;
}

/// The trace of each seed: made up anew, or with sessions that begin at other times.
Result<std::vector<Trace>> traces_of(const SimulateWords& words, const SimReplica& replica) {
    if (words.traces.empty() && words.developers == 0)
        return Error{Code::invalid_argument,
                     "nothing is asked of the fleet: give --trace FILE or --developers N"};
    if (!words.traces.empty() && words.developers > 0)
        return Error{Code::invalid_argument,
                     "--trace and --developers are both given; the calls come from one of them"};
    std::vector<Trace> traces;
    Trace recorded;
    if (!words.traces.empty()) {
        TRY(recorded, read_traces(words.traces));
    }
    for (uint32_t i = 0; i < words.seeds; ++i) {
        if (words.traces.empty()) {
            TRY(const Profile profile, profile_of(words, replica));
            TRY(traces.emplace_back(),
                generate(profile, {.users = words.developers,
                                   .duration = Duration::from_seconds(words.duration_s),
                                   .seed = words.seed + i}));
        } else {
            traces.push_back(
                spread_starts(recorded, Duration::from_seconds(words.spread_s), words.seed + i));
        }
    }
    return traces;
}

SimSetup setup_with(SimSetup setup, const SimVariant& variant, uint64_t seed) {
    setup.policy = variant.policy;
    for (SimReplica& kind : setup.replicas)
        kind.retention = variant.retention;
    setup.seed = seed;
    return setup;
}

Result<std::vector<PolicyRuns>> run_all(const SimulateWords& words, const SimSetup& setup,
                                        const std::vector<SimVariant>& variants,
                                        const std::vector<Trace>& traces) {
    std::vector<SimRun> runs;
    for (const SimVariant& variant : variants)
        for (uint32_t i = 0; i < words.seeds; ++i)
            runs.push_back({&traces[i], setup_with(setup, variant, words.seed + i)});
    TRY(std::vector<SimReport> reports, simulate_all(runs, words.threads));
    std::vector<PolicyRuns> policies;
    for (size_t i = 0; i < reports.size(); ++i) {
        if (i % words.seeds == 0) policies.push_back({variants[i / words.seeds].name, {}});
        policies.back().runs.push_back(std::move(reports[i]));
    }
    return policies;
}

Result<void> write_perfetto(const SimSetup& setup, const Trace& trace, OutputFile& file) {
    PerfettoTrace lanes;
    TRY(simulate(trace, setup, &lanes));
    return file.write(lanes.text());
}

Json to_json(const SimulateWords& words, const SimSetup& setup, const Trace& trace,
             const std::vector<PolicyRuns>& policies) {
    Json json = {{"trace", trace.origin},
                 {"sessions", trace.sessions.size()},
                 {"calls", trace.calls()},
                 {"replicas", setup.replicas.front().count},
                 {"replica", setup.replicas.front().name},
                 {"kv_tokens", setup.replicas.front().kv_tokens},
                 {"seed", words.seed},
                 {"policies", Json::object()}};
    for (const PolicyRuns& policy : policies) {
        Json runs = Json::array();
        for (const SimReport& report : policy.runs)
            runs.push_back(brigada::to_json(report));
        json["policies"][policy.policy] = std::move(runs);
    }
    return json;
}

Result<void> run_simulate(const SimulateWords& words) {
    if (words.seeds == 0) return Error{Code::invalid_argument, "at least one seed is needed"};
    TRY(const std::vector<SimVariant> variants, variants_of(words));
    use_huge_pages();
    TRY(OutputFile perfetto, OutputFile::open(words.perfetto));
    TRY(const SimReplica replica, replica_of(words));
    TRY(const std::vector<Trace> traces, traces_of(words, replica));
    const Trace& trace = traces.front();
    TRY(const SimSetup setup, setup_of(words, replica, trace));
    TRY(const std::vector<PolicyRuns> policies, run_all(words, setup, variants, traces));
    if (!words.perfetto.empty())
        TRY(write_perfetto(setup_with(setup, variants.front(), words.seed), trace, perfetto));
    if (words.json) {
        std::cout << to_json(words, setup, trace, policies).dump(2) << '\n';
        return {};
    }
    std::cout << fmt::format("{}: {} sessions, {} calls\n{}\n\n", trace.origin,
                             trace.sessions.size(), trace.calls(), describe(setup.replicas));
    if (policies.size() > 1 || words.seeds > 1) std::cout << comparison_page(policies) << '\n';
    std::cout << run_page(policies.front());
    return {};
}

}  // namespace

void add_simulate_command(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand(
        "simulate", "try a fleet on recorded or made-up sessions, in virtual time");
    const auto words = std::make_shared<SimulateWords>();
    add_options(*command, *words);
    command->callback([&action, words] { action = [words] { return run_simulate(*words); }; });
    command->footer(
        "Replicas are the scheduler and KV cache of brigada's own engine with a cost model in\n"
        "place of weights, behind the gateway's router and queue. Clients wait for their answers:\n"
        "a gap begins when the answer is there.\n\n"
        "  brigada simulate --trace sessions.jsonl.zst --model llama-3.3-70b --gpu h100 --tp 4 "
        "--replicas 8\n"
        "  brigada simulate --developers 200 --model gpt-oss-120b --gpu h100 --replicas 4\n"
        "  brigada simulate --trace t.json --cost engine.json --kv-tokens 400000 --policy "
        "session,round-robin --seeds 5");
}

}  // namespace brigada
