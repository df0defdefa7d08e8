// What a fan-out costs: an empty run with hot threads, and one that must wake them.
#include "kernels/pool.h"

#include <benchmark/benchmark.h>

namespace brigada {
namespace {

void empty_run(benchmark::State& state, Duration spin) {
    const auto threads = static_cast<unsigned>(state.range(0));
    Pool pool(threads, spin);
    for (auto _ : state)
        pool.run(threads, [](size_t task, unsigned) { benchmark::DoNotOptimize(task); });
}
BENCHMARK_CAPTURE(empty_run, hot, Pool::kSpin)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(empty_run, asleep, Duration::nanoseconds(0))->Arg(2)->UseRealTime();

}  // namespace
}  // namespace brigada
