// What it costs the loop to name the pieces of an agent's prompt of 400 KB.
#include <benchmark/benchmark.h>

#include <string>

#include "gateway/prompt_keys.h"

namespace brigada {
namespace {

void keys_of_a_prompt(benchmark::State& state) {
    std::string text;
    while (text.size() < 400'000)
        text += R"({"role": "user", "content": "int main() { return \"a\" != \"b\"; }\n"},)";
    CallBody body;
    body.prompt.back() = text;
    const auto dialect = static_cast<Dialect>(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(prompt_keys(body, dialect, "team:red"));
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(keys_of_a_prompt)
    ->ArgName("dialect")
    ->Arg(static_cast<int64_t>(Dialect::chat))
    ->Arg(static_cast<int64_t>(Dialect::messages))
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
