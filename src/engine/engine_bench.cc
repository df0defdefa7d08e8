// Decode and prefill of a whole model, as fractions of what this machine was measured to read and
// compute in the same run. The model is $BRIGADA_BENCH_MODEL, or smollm2 from the cache; the
// kernels are the best of this machine, or those of $BRIGADA_BENCH_ISA.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

#include "engine/cached_smollm2.h"
#include "engine/transformer.h"
#include "hw/bandwidth.h"
#include "hw/cpu.h"
#include "hw/peak.h"
#include "model/model.h"

namespace brigada {
namespace {

constexpr uint32_t kContext = 8192;

Path bench_model() {
    const char* path = std::getenv("BRIGADA_BENCH_MODEL");
    return path ? Path(path) : cached_smollm2();
}

Isa bench_isa() {
    const char* name = std::getenv("BRIGADA_BENCH_ISA");
    const auto isa = parse_isa(name ? name : "auto");
    CHECK(isa.ok(), isa.error().message);
    return *isa;
}

/// The model loaded once, and the limits of the machine measured beside it.
struct Bench {
    std::unique_ptr<Model> model;
    std::unique_ptr<Transformer> transformer;
    std::vector<BlockId> table;
    double read_bytes_per_second = 0;
    double int8_ops_per_second = 0;
    uint64_t body_ops_per_token = 0;  // multiplications and additions of all layers' matrices

    static Bench& instance() {
        static Bench bench;
        return bench;
    }

  private:
    Bench() {
        auto opened = open_model(bench_model());
        CHECK(opened.ok(), opened.error().message);
        model = std::make_unique<Model>(std::move(opened).value());
        const unsigned threads = read_cpu_facts().cores;
        const Isa isa = bench_isa();
        auto loaded = Transformer::load(
            *model, {.threads = threads, .isa = isa, .max_context = kContext}, {});
        CHECK(loaded.ok(), loaded.error().message);
        transformer = std::move(loaded).value();
        CHECK(transformer->allocate_kv(kContext / kKvBlockTokens).ok());
        for (uint32_t i = 0; i < kContext / kKvBlockTokens; ++i)
            table.push_back(BlockId{i});
        read_bytes_per_second = measure_read_bandwidth(threads).value();
        int8_ops_per_second = measure_peak(isa, threads).int8;
        for (const Tensor& tensor : model->tensors())
            if (tensor.name.starts_with("blk.") && tensor.rows() > 1)
                body_ops_per_token += 2 * tensor.elements();
    }
};

/// `count` tokens at `first`, as one chunk.
void forward(Bench& bench, uint32_t first, uint32_t count, std::vector<float>& logits) {
    Tokens tokens;
    for (uint32_t i = 0; i < count; ++i)
        tokens.push_back(TokenId{(first + i) * 7919 % 40'000 + 100});
    StepBatch batch;
    batch.add(
        {.tokens = tokens, .first_position = first, .blocks = bench.table, .wants_logits = true});
    logits.resize(bench.transformer->vocab());
    bench.transformer->forward(batch, logits.data());
    benchmark::DoNotOptimize(logits.data());
}

void fill(Bench& bench, uint32_t depth) {
    std::vector<float> logits;
    for (uint32_t at = 0; at < depth; at += 512)
        forward(bench, at, std::min(512u, depth - at), logits);
}

/// One token on top of `depth`.
void decode(benchmark::State& state) {
    Bench& bench = Bench::instance();
    const auto depth = static_cast<uint32_t>(state.range(0));
    fill(bench, depth);
    std::vector<float> logits;
    for (auto _ : state)
        forward(bench, depth, 1, logits);
    const double bytes =
        static_cast<double>(bench.transformer->weight_bytes()) +
        static_cast<double>(bench.transformer->kv_bytes_per_block()) / kKvBlockTokens * depth;
    const double done = static_cast<double>(state.iterations());
    state.counters["tokens/s"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
    state.counters["GB/s"] = benchmark::Counter(done * bytes * 1e-9, benchmark::Counter::kIsRate);
    state.counters["of_bandwidth"] =
        benchmark::Counter(done * bytes / bench.read_bytes_per_second, benchmark::Counter::kIsRate);
    state.counters["bandwidth_GB/s"] = bench.read_bytes_per_second * 1e-9;
}
BENCHMARK(decode)->Arg(0)->Arg(1024)->Arg(4096)->UseRealTime()->Unit(benchmark::kMillisecond);

/// 512 tokens on top of `depth`. Attention is not counted as work done.
void prefill(benchmark::State& state) {
    Bench& bench = Bench::instance();
    const auto depth = static_cast<uint32_t>(state.range(0));
    fill(bench, depth);
    std::vector<float> logits;
    for (auto _ : state)
        forward(bench, depth, 512, logits);
    const double tokens = 512.0 * static_cast<double>(state.iterations());
    const double ops = tokens * static_cast<double>(bench.body_ops_per_token);
    state.counters["tokens/s"] = benchmark::Counter(tokens, benchmark::Counter::kIsRate);
    state.counters["GOP/s"] = benchmark::Counter(ops * 1e-9, benchmark::Counter::kIsRate);
    state.counters["of_int8_peak"] =
        benchmark::Counter(ops / bench.int8_ops_per_second, benchmark::Counter::kIsRate);
    state.counters["peak_GOP/s"] = bench.int8_ops_per_second * 1e-9;
}
BENCHMARK(prefill)->Arg(0)->Arg(4096)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace brigada
