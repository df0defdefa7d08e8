// What it costs the loop to name a call for the answer cache: an agent's body of 400 KB, and the
// largest that is looked up.
#include <benchmark/benchmark.h>

#include "gateway/answer_key.h"

namespace brigada {
namespace {

std::string body_of(size_t bytes) {
    std::string out = R"({"model":"m","stream":true,"messages":[)";
    while (out.size() < bytes)
        out += R"({"role": "user", "content": "int main() { return \"a\" != \"b\"; }\n"},)";
    out.back() = ']';
    out += '}';
    out.reserve(out.size() + kBodyPadding);
    return out;
}

void key_of_a_body(benchmark::State& state) {
    const std::string body = body_of(static_cast<size_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(answer_key({.tenant = "team:red", .model = "m", .body = body}));
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(key_of_a_body)->Arg(1'000)->Arg(400'000)->Arg(2 << 20)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
