// Scheduler::plan with 64 sequences decoding and 1,000 waiting, at agent sizes.
#include <benchmark/benchmark.h>

#include "base/rng.h"
#include "sched/scheduler.h"

namespace brigada {
namespace {

Tokens random_prompt(Rng& rng, uint32_t tokens) {
    Tokens prompt;
    for (uint32_t i = 0; i < tokens; ++i)
        prompt.push_back(TokenId{uint32_t(rng.below(50'000))});
    return prompt;
}

SequenceSpec spec_of(Rng& rng, uint64_t id, uint32_t tokens) {
    SequenceSpec spec;
    spec.id = SequenceId{id};
    spec.prompt = random_prompt(rng, tokens);
    spec.max_new_tokens = 1'000'000;
    spec.tenant = TenantId{uint32_t(id % 20)};
    return spec;
}

Plan step(Scheduler& scheduler, Instant& now) {
    now = now + Duration::milliseconds(10);
    Plan plan = scheduler.plan(now);
    Outcome outcome;
    for (const Chunk& chunk : plan.chunks)
        if (chunk.samples) outcome.sampled.push_back({chunk.sequence, TokenId{1}});
    CHECK(scheduler.commit(plan, outcome, now).empty());
    return plan;
}

/// plan and commit of one step while nothing can be admitted: no slot is left, or the first of the
/// 1,000 that wait, 3.1M tokens long, has no room. It asks again at every step.
void plan_and_commit(benchmark::State& state, uint32_t slots) {
    SchedulerConfig config;
    config.step_tokens = 512;
    config.max_running = slots;
    config.max_context = 4'000'000;
    config.max_waiting_tokens = UINT64_MAX;
    Scheduler scheduler(config, {.blocks = 200'000, .ghost_blocks = 100'000});
    Rng rng(1);
    Instant now = Instant::at_ns(1);
    for (uint64_t id = 0; id < 64; ++id)
        scheduler.submit(spec_of(rng, id, 2'000), now).value();
    while (scheduler.stats().waiting > 0 || scheduler.stats().planned_tokens < 64 * 2'000)
        step(scheduler, now);
    SequenceSpec huge = spec_of(rng, 100, 3'100'000);
    huge.priority = -1'000'000;  // first, however long the others have waited
    scheduler.submit(std::move(huge), now).value();
    for (uint64_t id = 101; id < 1'100; ++id)
        scheduler.submit(spec_of(rng, id, 1'000), now).value();
    for (auto _ : state)
        benchmark::DoNotOptimize(step(scheduler, now));
    CHECK(scheduler.stats().running == 64);
}
BENCHMARK_CAPTURE(plan_and_commit, no_slot, 64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan_and_commit, no_room, 128)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
