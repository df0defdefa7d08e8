// KvBooks at agent sizes: prompts of 100,000 tokens, 6,250 blocks of 16.
#include <benchmark/benchmark.h>

#include "base/rng.h"
#include "kv/books.h"

namespace brigada {
namespace {

constexpr uint32_t kPrompt = 100'000;
constexpr uint32_t kBlocks = 65'536;  // 1M tokens of KV

Tokens prompt_of(uint64_t seed) {
    Rng rng(seed);
    Tokens tokens;
    for (uint32_t i = 0; i < kPrompt; ++i)
        tokens.push_back(TokenId{uint32_t(rng.below(50'000))});
    return tokens;
}

void serve(KvBooks& books, SequenceId id, const Tokens& prompt) {
    books.begin(id, prompt, {});
    CHECK(books.grow(id, kPrompt));
    books.computed(id, prompt, kPrompt);
    books.release(id, true);
}

void report(benchmark::State& state) {
    state.counters["per_block"] =
        benchmark::Counter(kPrompt / kBlockTokens, benchmark::Counter::kIsIterationInvariantRate |
                                                       benchmark::Counter::kInvert);
}

/// Eight cached prompts in turn, so that the path is not in the processor's cache.
void lookup_cached(benchmark::State& state) {
    KvBooks books({.blocks = kBlocks});
    std::vector<Tokens> prompts;
    for (uint64_t i = 0; i < 8; ++i)
        serve(books, SequenceId{i}, prompts.emplace_back(prompt_of(i)));
    size_t next = 0;
    for (auto _ : state) {
        KvCursor cursor;
        benchmark::DoNotOptimize(books.lookup(prompts[next++ % 8], {}, cursor));
    }
    report(state);
}
BENCHMARK(lookup_cached)->Unit(benchmark::kMicrosecond);

/// The same prompt again, as a sequence that waits for room asks at every step.
void lookup_again(benchmark::State& state) {
    KvBooks books({.blocks = kBlocks});
    const Tokens prompt = prompt_of(1);
    serve(books, SequenceId{1}, prompt);
    KvCursor cursor;
    for (auto _ : state)
        benchmark::DoNotOptimize(books.lookup(prompt, {}, cursor));
}
BENCHMARK(lookup_again);

void begin_cached_and_release(benchmark::State& state) {
    KvBooks books({.blocks = kBlocks, .ghost_blocks = kBlocks});
    std::vector<Tokens> prompts;
    for (uint64_t i = 0; i < 8; ++i)
        serve(books, SequenceId{i}, prompts.emplace_back(prompt_of(i)));
    uint64_t next = 100;
    for (auto _ : state) {
        const SequenceId id{next++};
        books.begin(id, prompts[next % 8], {});
        books.release(id, true);
    }
    report(state);
}
BENCHMARK(begin_cached_and_release)->Unit(benchmark::kMicrosecond);

/// Nothing cached and everything full: every block evicts one, leaves a ghost and is stored.
void serve_uncached_with_eviction(benchmark::State& state) {
    KvBooks books({.blocks = kBlocks, .ghost_blocks = kBlocks});
    std::vector<Tokens> prompts;
    for (uint64_t i = 0; i < 16; ++i)
        serve(books, SequenceId{i}, prompts.emplace_back(prompt_of(i)));
    uint64_t next = 100;
    for (auto _ : state) {
        serve(books, SequenceId{next}, prompts[next % 16]);
        ++next;
    }
    report(state);
}
BENCHMARK(serve_uncached_with_eviction)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace brigada
