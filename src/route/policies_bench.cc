// The policies against each other in virtual time, on traces of real calls: 8 replicas, each with
// so much KV. Counters are what the table in docs/benchmarks.md shows; the time says how fast the
// router and the simulated replicas decide.
#include <benchmark/benchmark.h>

#include <unordered_set>

#include "base/rng.h"
#include "route/bench_fleet.h"
#include "route/least_busy.h"
#include "route/prefix_hash.h"
#include "route/round_robin.h"
#include "route/session_policy.h"

namespace brigada {
namespace {

constexpr uint32_t kReplicas = 8;
constexpr uint32_t kHashedTokens = 1'024;  // of the prompt, by prefix_hash

// 96 people within an hour: of their 14M tokens of live context half fits in 8 x 1M tokens of KV.
const Trace& claude_code() {
    static const Trace trace = claude_code_trace(6, Duration::seconds(3'600), Rng(1));
    return trace;
}

const Trace& mooncake() {
    static const Trace trace = mooncake_trace();
    return trace;
}

std::unique_ptr<Policy> round_robin(const Trace&) {
    return std::make_unique<RoundRobin>();
}
std::unique_ptr<Policy> least_busy(const Trace&) {
    return std::make_unique<LeastBusy>();
}
std::unique_ptr<Policy> prefix_hash(const Trace& trace) {
    return std::make_unique<PrefixHash>(kHashedTokens / trace.block_tokens);
}
std::unique_ptr<Policy> session(const Trace&) {
    return std::make_unique<SessionPolicy>(SessionPolicyConfig{});
}

template <const Trace& trace_of(), std::unique_ptr<Policy> policy_of(const Trace&)>
void fleet(benchmark::State& state) {
    const Trace& trace = trace_of();
    const auto kv_blocks = static_cast<uint32_t>(state.range(0) * 1'000 / trace.block_tokens);
    FleetResult result;
    for (auto _ : state) {
        Fleet replicas(trace, policy_of(trace), kReplicas,
                       {.prefill_tokens_per_s = 8'000, .kv_blocks = kv_blocks});
        result = replicas.run();
    }
    state.counters["hit_%"] = result.hit_rate * 100;
    state.counters["spread"] = result.spread;
    state.counters["ttft_mean_s"] = result.ttft_mean_s;
    state.counters["ttft_p90_s"] = result.ttft_p90_s;
    state.counters["elsewhere_%"] = result.elsewhere_rate * 100;
    state.counters["evicted_%"] = result.evicted_rate * 100;
}

/// What can be found at all: everything that any call before had in its prompt.
template <const Trace& trace_of()>
void endless_cache(benchmark::State& state) {
    int64_t found = 0;
    int64_t tokens = 0;
    for (auto _ : state) {
        std::unordered_set<BlockKey> seen;
        for (const TracedSession& session : trace_of().sessions) {
            for (const TracedCall& call : session.calls) {
                const auto is_new = [&](BlockKey key) { return !seen.contains(key); };
                const auto known = std::ranges::find_if(call.keys, is_new) - call.keys.begin();
                found += std::min(call.prompt_tokens, known * trace_of().block_tokens);
                tokens += call.prompt_tokens;
                seen.insert(call.keys.begin(), call.keys.end());
            }
        }
    }
    state.counters["hit_%"] = 100.0 * double(found) / double(tokens);
}
BENCHMARK(endless_cache<claude_code>)->Iterations(1);
BENCHMARK(endless_cache<mooncake>)->Iterations(1);

// Thousands of tokens of KV a replica.
#define COMPARE(trace)                                                                     \
    BENCHMARK(fleet<trace, round_robin>)->Arg(500)->Arg(1'000)->Arg(2'000)->Iterations(1); \
    BENCHMARK(fleet<trace, least_busy>)->Arg(500)->Arg(1'000)->Arg(2'000)->Iterations(1);  \
    BENCHMARK(fleet<trace, prefix_hash>)->Arg(500)->Arg(1'000)->Arg(2'000)->Iterations(1); \
    BENCHMARK(fleet<trace, session>)->Arg(500)->Arg(1'000)->Arg(2'000)->Iterations(1)

COMPARE(claude_code);
COMPARE(mooncake);

}  // namespace
}  // namespace brigada
