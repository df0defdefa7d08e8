// What telling of a call costs the loop: its line, the line handed to the log's thread, its spans;
// and what encoding spans costs the thread that sends them.
#include <benchmark/benchmark.h>

#include "gateway/seen/call_story.h"
#include "gateway/seen/gateway_log.h"

namespace brigada {
namespace {

CallFacts facts() {
    Caller caller;
    caller.tenant = "team:7d3c1f0a9b8e4d55a1c2e3f405162738";
    caller.team = "7d3c1f0a9b8e4d55a1c2e3f405162738";
    caller.team_alias = "compilers";
    caller.user = "ann";
    caller.key = std::string(64, 'a');
    CallFacts out{.id = std::string(32, 'b'),
                  .path = "/v1/chat/completions",
                  .started = {1'772'366'400'000'000'000},
                  .first_byte = {1'772'366'400'250'000'000},
                  .ended = {1'772'366'402'000'000'000},
                  .caller = std::make_shared<const Caller>(caller),
                  .session = "0f4c2e1a-1111-2222-3333-444455556666",
                  .model_asked = "coder",
                  .model_served = "coder",
                  .stream = true,
                  .http_status = 200,
                  .usage = {.input = 812, .cached_input = 40'960, .output = 216},
                  .cost = {1'200'000}};
    out.attempts.push_back({.span = SpanId{2},
                            .upstream = "coder-0",
                            .provider = "openai",
                            .model = "qwen",
                            .host = "10.0.0.1",
                            .port = 8000,
                            .http_status = 200});
    return out;
}

CallPlace place() {
    return {.parent = {.trace = {1, 2}, .flags = 1}, .span = SpanId{1}};
}

void line_of_a_call(benchmark::State& state) {
    const CallFacts call = facts();
    for (auto _ : state) {
        LogLine line(LogFormat::json, LogLevel::info, call.ended, "call");
        tell_call(call, place(), line);
        benchmark::DoNotOptimize(line.take());
    }
}
BENCHMARK(line_of_a_call);

void line_handed_to_the_log(benchmark::State& state) {
    const auto log = GatewayLog::open({.format = LogFormat::json, .file = "/dev/null"}).value();
    const CallFacts call = facts();
    for (auto _ : state) {
        LogLine line = log->line(LogLevel::info, "call");
        tell_call(call, place(), line);
        log->write(line);
    }
    state.counters["dropped"] = static_cast<double>(log->dropped());
}
BENCHMARK(line_handed_to_the_log);

void spans_of_a_call(benchmark::State& state) {
    const CallFacts call = facts();
    for (auto _ : state)
        benchmark::DoNotOptimize(call_spans(call, place()));
}
BENCHMARK(spans_of_a_call);

void encoding_a_batch(benchmark::State& state) {
    std::vector<TraceSpan> batch;
    while (batch.size() < 512)
        for (TraceSpan& span : call_spans(facts(), place()))
            batch.push_back(std::move(span));
    for (auto _ : state)
        benchmark::DoNotOptimize(otlp_json(batch, {}));
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(batch.size()));
}
BENCHMARK(encoding_a_batch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
