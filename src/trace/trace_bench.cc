// Calls read per second: the corpus of Claude Code (48,658 and 676) and Mooncake's conversations
// (12,031); its stats; and a generated hour of 20,000 people.
#include <benchmark/benchmark.h>

#include "trace/corpus_for_tests.h"
#include "trace/generator.h"
#include "trace/trace_stats.h"

namespace brigada {
namespace {

void import_file(benchmark::State& state, const char* name) {
    const std::string bytes = trace_bytes(name);
    uint64_t calls = 0;
    for (auto _ : state)
        calls += import_bytes(name, bytes).value().trace.calls();
    state.counters["calls/s"] = benchmark::Counter(double(calls), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(import_file, claude_code, "claude_code_sessions.jsonl.zst")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(import_file, mooncake, "mooncake_conversation.jsonl.zst")
    ->Unit(benchmark::kMillisecond);

void stats_of_claude_code(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(stats_of(claude_code()));
}

BENCHMARK(stats_of_claude_code)->Unit(benchmark::kMillisecond);

void generate_an_hour_of_20000_people(benchmark::State& state) {
    const Profile profile = builtin_profile("claude-code").value();
    for (auto _ : state) {
        const Trace trace = generate(profile, {.users = 20'000}).value();
        uint64_t bytes = trace.sessions.capacity() * sizeof(TraceSession);
        for (const TraceSession& session : trace.sessions) {
            bytes += session.calls.capacity() * sizeof(TraceCall);
            for (const TraceCall& call : session.calls)
                bytes += call.added.capacity() * sizeof(BlockRun) + 16;
        }
        state.counters["calls"] = double(trace.calls());
        state.counters["MB"] = double(bytes) / 1e6;
    }
}

BENCHMARK(generate_an_hour_of_20000_people)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace brigada
