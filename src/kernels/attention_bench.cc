// How close attention comes to the machine. Decode reads every key and value once and is measured
// against the read bandwidth of the same run; prefill is measured against the peak of fused
// multiply-adds in floats. Geometries: Qwen3-0.6B, Llama-3.2-1B, SmolLM2-135M.
#include "kernels/attention.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "base/rng.h"
#include "hw/bandwidth.h"
#include "hw/peak.h"
#include "kernels/aligned_buffer.h"

namespace brigada {
namespace {

struct Geometry {
    const char* name;
    uint32_t heads, kv_heads, head_dim;
};
constexpr Geometry kGeometries[] = {
    {"Qwen3-0.6B", 16, 8, 128}, {"Llama-1B", 32, 8, 64}, {"SmolLM2", 9, 3, 64}};

/// `sequences` sequences of `length` tokens, whose blocks lie in the arena in random order. The
/// first `shared` tokens are in the same blocks for all.
struct Workload {
    Workload(const Geometry& geometry, uint32_t sequences, uint32_t length, uint32_t queries,
             uint32_t shared)
        : shape{geometry.heads, geometry.kv_heads, geometry.head_dim,
                1 / std::sqrt(static_cast<float>(geometry.head_dim)), 0},
          layout{KvType::f16, geometry.kv_heads, geometry.head_dim} {
        Rng rng(1);
        const uint32_t per_sequence = length / kKvBlockTokens, common = shared / kKvBlockTokens;
        std::vector<BlockId> order(common + sequences * (per_sequence - common));
        for (uint32_t i = 0; i < order.size(); ++i)
            order[i] = BlockId{i};
        for (size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[rng.below(i)]);
        memory = AlignedBuffer::allocate(order.size() * layout.block_bytes());
        CHECK(!memory.empty());
        auto* words = reinterpret_cast<uint16_t*>(memory.data());
        for (size_t i = 0; i < memory.size() / 2; ++i)  // f16 numbers of size 1 to 2, either sign
            words[i] = static_cast<uint16_t>(0x3c00 + (i * 2654435761u >> 16 & 0x83ff));
        arena = {layout, memory.data(), static_cast<uint32_t>(order.size())};

        const size_t width = size_t{geometry.heads} * geometry.head_dim;
        q.assign(width * queries * sequences, 0.01f);
        out.resize(q.size());
        tables.resize(sequences);
        for (uint32_t s = 0; s < sequences; ++s) {
            tables[s].assign(order.begin(), order.begin() + common);
            const auto own = order.begin() + common + s * (per_sequence - common);
            tables[s].insert(tables[s].end(), own, own + (per_sequence - common));
            const size_t at = s * queries * width;
            chunks.push_back({.q = &q[at],
                              .out = &out[at],
                              .q_stride = width,
                              .out_stride = width,
                              .first_position = length - queries,
                              .count = queries,
                              .blocks = tables[s]});
        }
    }

    AttentionShape shape;
    KvLayout layout;
    AlignedBuffer memory;
    KvArena arena;
    std::vector<float> q, out;
    std::vector<std::vector<BlockId>> tables;
    std::vector<AttentionChunk> chunks;
};

void decode(benchmark::State& state, const Geometry& geometry, uint32_t length, unsigned threads) {
    Workload work(geometry, 4, length, 1, 0);  // four: more than the caches hold
    Pool pool(threads);
    AttentionScratch scratch;
    const double roof = measure_read_bandwidth(threads).value();
    for (auto _ : state)
        attend(attention_kernels(best_isa()), work.chunks, work.shape, work.arena, scratch, pool);
    const double bytes = static_cast<double>(work.memory.size() * state.iterations());
    state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsRate);
    state.counters["of_bandwidth"] = benchmark::Counter(bytes / roof, benchmark::Counter::kIsRate);
    state.counters["roof_GB/s"] = roof * 1e-9;
}

void prefill(benchmark::State& state, const Geometry& geometry, uint32_t depth, unsigned threads) {
    constexpr uint32_t kChunk = 512;
    Workload work(geometry, 1, depth + kChunk, kChunk, 0);
    Pool pool(threads);
    AttentionScratch scratch;
    const double roof = measure_peak(best_isa(), threads).float32;
    for (auto _ : state)
        attend(attention_kernels(best_isa()), work.chunks, work.shape, work.arena, scratch, pool);
    const double keys = kChunk * (depth + (kChunk + 1) / 2.0);  // pairs of query and key
    const double flops = keys * geometry.heads * geometry.head_dim * 4 * state.iterations();
    state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsRate);
    state.counters["of_peak"] = benchmark::Counter(flops / roof, benchmark::Counter::kIsRate);
    state.counters["roof_GFLOP/s"] = roof * 1e-9;
}

/// Eight decodes over one 3072-token prefix: ms per layer, with and without sharing its blocks.
void shared_prefix(benchmark::State& state, const Geometry& geometry, uint32_t shared) {
    Workload work(geometry, 8, 3328, 1, shared);
    Pool pool(2);
    AttentionScratch scratch;
    for (auto _ : state)
        attend(attention_kernels(best_isa()), work.chunks, work.shape, work.arena, scratch, pool);
}

[[maybe_unused]] const bool kRegistered = [] {
    for (const Geometry& geometry : kGeometries) {
        const std::string name = geometry.name;
        for (unsigned threads : {1u, 2u}) {
            const std::string end = concat("/threads:", threads);
            for (uint32_t length : {4096u, 16384u})
                benchmark::RegisterBenchmark(("decode/" + name + concat("/", length) + end).c_str(),
                                             decode, geometry, length, threads)
                    ->UseRealTime()
                    ->Unit(benchmark::kMillisecond);
            benchmark::RegisterBenchmark(("prefill/" + name + "/4096" + end).c_str(), prefill,
                                         geometry, 4096u, threads)
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
        }
        for (uint32_t shared : {0u, 3072u})
            benchmark::RegisterBenchmark(concat("eight/", name, "/shared:", shared).c_str(),
                                         shared_prefix, geometry, shared)
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
    }
    return true;
}();

}  // namespace
}  // namespace brigada
