// How close matmul comes to the machine: up to 4 rows against the read bandwidth, more rows against
// the peak of the instruction that does the work, both roofs measured in the same run. Like the
// roofs, `of_roof` is the best call: on a shared machine a slow one says something about the
// neighbours.
//
//   kernels_bench --benchmark_filter='matmul/q4_0/llama1b_down/m:1/'
//
// Up to 4 rows, weights are as many copies of the matrix as exceed any L3: a decode step finds none
// in cache.
#include "kernels/matmul.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "hw/bandwidth.h"
#include "hw/peak.h"
#include "kernels/random_weights.h"

namespace brigada {
namespace {

constexpr size_t kFootprint = size_t{128} << 20;

struct Shape {
    const char* name;
    size_t rows;
    size_t cols;
};

constexpr Shape kShapes[] = {
    {"smollm135m_q", 576, 576},     {"smollm135m_k", 192, 576},      {"smollm135m_up", 1536, 576},
    {"smollm135m_down", 576, 1536}, {"smollm135m_head", 49152, 576}, {"qwen0.6b_q", 2048, 1024},
    {"qwen0.6b_down", 1024, 3072},  {"llama1b_q", 2048, 2048},       {"llama1b_up", 8192, 2048},
    {"llama1b_down", 2048, 8192},
};
constexpr size_t kBatches[] = {1, 4, 16, 128, 512};

constexpr size_t kDecodeRows = 4;  // up to here the weights' bytes are what takes time

/// Bytes or operations per second that bound a matmul of m rows.
double roof_of(WeightType type, size_t m, Isa isa, unsigned threads) {
    if (m <= kDecodeRows) return measure_read_bandwidth(threads).value();
    const Peak peak = measure_peak(isa, threads);
    return is_quantised(type) ? peak.int8 : peak.float32;
}

std::vector<Matrix> copies_of(WeightType type, const Shape& shape, size_t m, Isa isa, Pool& pool) {
    Rng rng(1);
    const auto file = random_weights(type, shape.rows, shape.cols, rng);
    const size_t count = m <= kDecodeRows ? kFootprint / file.size() + 1 : 1;
    std::vector<Matrix> out;
    for (size_t i = 0; i < count; ++i)
        out.push_back(
            Matrix::make(type, shape.rows, shape.cols, file, isa, Compute::fast, pool).value());
    return out;
}

void run_matmul(benchmark::State& state, WeightType type, const Shape& shape, size_t m, Isa isa,
                unsigned threads) {
    Pool pool(threads);
    Rng rng(2);
    const std::vector<Matrix> matrices = copies_of(type, shape, m, isa, pool);
    const std::vector<float> acts = random_acts(m * shape.cols, rng);
    std::vector<float> out(m * shape.rows);
    MatmulScratch scratch;
    const double roof = roof_of(type, m, isa, threads);
    double best = std::numeric_limits<double>::infinity();
    size_t next = 0;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        matmul(matrices[next++ % matrices.size()], acts.data(), m, out.data(), scratch, pool);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
    }
    const double bytes = static_cast<double>(matrices[0].bytes()) / best;
    const double operations = 2.0 * static_cast<double>(m * shape.rows * shape.cols) / best;
    state.counters["GB/s"] = bytes * 1e-9;
    state.counters["GOP/s"] = operations * 1e-9;
    state.counters["roof"] = roof * 1e-9;
    state.counters["of_roof"] = (m <= kDecodeRows ? bytes : operations) / roof;
}

/// Time to make a Matrix, per byte of the file: what loading a model costs.
void run_pack(benchmark::State& state, WeightType type) {
    Pool pool(1);
    Rng rng(3);
    const auto file = random_weights(type, 2048, 2048, rng);
    for (auto _ : state)
        benchmark::DoNotOptimize(
            Matrix::make(type, 2048, 2048, file, best_isa(), Compute::fast, pool));
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * file.size()));
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * 2048 * 2048));
}

/// Registers every combination; --benchmark_filter picks.
const bool kRegistered = [] {
    for (const WeightType type : kAllWeightTypes) {
        const std::string name(to_string(type));
        benchmark::RegisterBenchmark(("pack/" + name).c_str(), run_pack, type);
        for (const Shape& shape : kShapes)
            for (const size_t m : kBatches)
                for (const unsigned threads : {1u, 2u})
                    benchmark::RegisterBenchmark(
                        concat("matmul/", name, "/", shape.name, "/m:", m, "/threads:", threads)
                            .c_str(),
                        [=](benchmark::State& state) {
                            run_matmul(state, type, shape, m, best_isa(), threads);
                        })
                        ->UseRealTime()
                        ->Unit(benchmark::kMicrosecond);
    }
    return true;
}();

}  // namespace
}  // namespace brigada
