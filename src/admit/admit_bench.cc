// Limiter::reserve for a call that counts against five scopes, with 100,000 known: organisation,
// team, user, key and key for one model. Random keys, so that most of what is touched is not
// cached.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "admit/limiter.h"
#include "base/rng.h"

namespace brigada {
namespace {

constexpr uint64_t kScopes = 100'000;
using Path = std::array<ScopeId, 5>;

Limiter limiter_of(const Limits& limits) {
    Limiter limiter;
    for (uint64_t i = 0; i < kScopes; ++i)
        limiter.set_limits(ScopeId{i}, limits);
    return limiter;
}

/// 10 organisations, 1,000 teams, and users, keys and keys per model by the thousands.
std::vector<Path> random_paths(size_t count) {
    Rng rng(1);
    std::vector<Path> paths;
    for (size_t i = 0; i < count; ++i)
        paths.push_back({ScopeId{rng.below(10)}, ScopeId{10 + rng.below(1'000)},
                         ScopeId{2'000 + rng.below(28'000)}, ScopeId{30'000 + rng.below(30'000)},
                         ScopeId{60'000 + rng.below(40'000)}});
    return paths;
}

/// 10,000 calls a second, each settled after it was admitted: windows are as full as they get.
void reserve_and_settle(benchmark::State& state) {
    Limiter limiter = limiter_of({1'000'000'000, 1'000'000'000'000, 1'000'000});
    const std::vector<Path> paths = random_paths(1 << 16);
    Instant now = Instant::at_ns(1);
    size_t next = 0;
    for (auto _ : state) {
        now = now + Duration::microseconds(100);
        limiter.settle(limiter.reserve(paths[next++ % paths.size()], 100, now).value(), 80);
        limiter.sweep(now, 1);
    }
}
BENCHMARK(reserve_and_settle);

void reserve_refused(benchmark::State& state) {
    Limiter limiter = limiter_of({.requests_per_minute = 100});
    const std::vector<Path> paths = random_paths(1 << 16);
    Instant now = Instant::at_ns(1);
    for (const Path& path : paths)  // the ten organisations are over their limit soon
        static_cast<void>(limiter.reserve(path, 100, now));
    size_t next = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(limiter.reserve(paths[next++ % paths.size()], 100, now));
}
BENCHMARK(reserve_refused);

void headroom(benchmark::State& state) {
    Limiter limiter = limiter_of({.requests_per_minute = 1'000, .tokens_per_minute = 1'000});
    const std::vector<Path> paths = random_paths(1 << 16);
    size_t next = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(limiter.headroom(paths[next++ % paths.size()], Instant::at_ns(1)));
}
BENCHMARK(headroom);

}  // namespace
}  // namespace brigada
