// Simulations at full size: the Mooncake conversations and the corpus of Claude Code sessions on 8
// replicas, and an hour of 20,000 developers on 1,000 GPUs. Counters: what a second of real time
// simulates, and the memory of the process at its largest; the digest says whether a change changed
// decisions.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/heap.h"
#include "cost/engine_fit.h"
#include "cost/known_fits.h"
#include "cost/placement.h"
#include "sim/sim_runs.h"
#include "trace/generator.h"
#include "trace/import_trace.h"
#include "trace/profile.h"

namespace brigada {
namespace {

Trace trace_named(const std::string& name) {
    const Path path = Path(BRIGADA_TESTDATA) / "traces" / name;
    const std::string bytes = read_file(path, size_t{1} << 30).value();
    const TraceFile file{name, bytes};
    return import_trace(std::span(&file, 1), {}).value().trace;
}

/// As Llama-3.3-70B in FP8 on 4 x H100: 14 GB of weights a GPU at 2.7 TB/s, 280 TFLOP/s of it.
SimSetup fleet(uint32_t replicas, uint64_t kv_tokens) {
    StepCoefficients c;
    c.flop_per_token = 30e-6;
    c.flop_per_pair = c.flop_per_decode_pair = 1.2e-10;
    c.weights_s = 0.008;
    c.kv_per_token = 1.5e-8;
    c.step_s = 0.003;
    c.sequence_s = 1e-5;
    SimReplica kind;
    kind.name = "4 x H100";
    kind.count = replicas;
    kind.cost = StepCost(c);
    kind.scheduler.step_tokens = 8'192;
    kind.scheduler.max_running = 256;
    kind.scheduler.max_context = 1'000'000;
    kind.scheduler.max_waiting = 100'000;
    kind.scheduler.max_waiting_tokens = UINT64_MAX / 2;
    kind.kv_tokens = kv_tokens;
    SimSetup setup;
    setup.replicas = {kind};
    return setup;
}

void run(benchmark::State& state, const Trace& trace, const SimSetup& setup) {
    use_huge_pages();  // as brigada simulate does
    SimReport report;
    for (auto _ : state)
        report = simulate(trace, setup).value();
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    state.SetLabel(fmt::format("digest {:016x}", report.digest));
    state.counters["calls"] = static_cast<double>(report.calls);
    state.counters["failed"] = static_cast<double>(report.failed);
    state.counters["hit_rate"] = report.hit_rate;
    state.counters["virtual_s"] = report.seconds;
    state.counters["us_per_call"] = benchmark::Counter(
        static_cast<double>(report.calls) * 1e-6,
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) / 1024;
}

void mooncake_conversation(benchmark::State& state) {
    run(state, trace_named("mooncake_conversation.jsonl.zst"), fleet(8, 2'000'000));
}
BENCHMARK(mooncake_conversation)->Unit(benchmark::kSecond)->Iterations(1);

/// 710 people whose sessions begin within a working day.
void claude_code_corpus(benchmark::State& state) {
    const Trace trace = spread_starts(trace_named("claude_code_sessions.jsonl.zst"),
                                      Duration::seconds(8 * 3'600), 1);
    run(state, trace, fleet(8, 2'000'000));
}
BENCHMARK(claude_code_corpus)->Unit(benchmark::kSecond)->Iterations(1);

/// gpt-oss-120b on 1,000 H200, one each: 20 people share one, and it holds what they work on.
void thousand_gpus(benchmark::State& state) {
    Placement placement;
    placement.model = find_geometry("gpt-oss-120b").value();
    placement.accelerator = find_accelerator("h200").value();
    SimSetup setup = fleet(1'000, memory_budget(placement).value().kv_tokens);
    SimReplica& kind = setup.replicas.front();
    kind.name = "H200";
    kind.cost = StepCost(step_coefficients(placement, find_fit(placement.accelerator, "vllm")));
    kind.scheduler.max_context = placement.model.max_context;
    setup.until = Instant() + Duration::seconds(3'600);
    Profile profile = builtin_profile("claude-code").value();
    compact_at(profile, kind.scheduler.max_context - 1);
    run(state, generate(profile, {.users = 20'000}).value(), setup);
}
BENCHMARK(thousand_gpus)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace brigada
