// What it costs the loop to read an agent's body of 400 KB and to name the pieces of its prompt:
// whole, and when the call before it is known.
#include <benchmark/benchmark.h>

#include <string>

#include "gateway/body_memo.h"
#include "net/http.h"

namespace brigada {
namespace {

/// With 60 KB of tools behind the messages.
std::string agent_body(size_t messages) {
    std::string out = R"({"model":"m","max_tokens":256,"messages":[)";
    for (size_t n = 0; n < messages; ++n) {
        out += n == 0 ? R"({"role":"tool","content":")" : R"(,{"role":"tool","content":")";
        while (out.size() < (n + 1) * 2'400)
            out += R"(int main() { return \"a\" != \"b\"; }\n)";
        out += "\"}";
    }
    out += R"(],"tools":[{"name":"t0"})";
    for (int n = 1; n < 60; ++n)
        out += R"(,{"name":"t","description":")" + std::string(1'000, 't') + "\"}";
    out += "]}";
    out.reserve(out.size() + kBodyPadding);
    return out;
}

void read_a_body(benchmark::State& state) {
    const bool is_known = state.range(0) == 1;
    const std::string before = agent_body(140), body = agent_body(142);
    BodyMemo memo(64 << 20, 1);
    for (auto _ : state) {
        if (!is_known) {
            const auto read = read_call_body(body, Dialect::chat);
            benchmark::DoNotOptimize(prompt_keys(*read, Dialect::chat, "team:red"));
            continue;
        }
        state.PauseTiming();
        memo = BodyMemo(64 << 20, 1);
        benchmark::DoNotOptimize(memo.read(before, Dialect::chat, "team:red"));
        state.ResumeTiming();
        benchmark::DoNotOptimize(memo.read(body, Dialect::chat, "team:red"));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(body.size()));
}
BENCHMARK(read_a_body)->ArgName("known")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
