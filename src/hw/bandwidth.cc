#include "hw/bandwidth.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "hw/cpu.h"
#include "hw/meter.h"

namespace brigada {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kAhead = 4096;  // with two cores 47.8 becomes 51.4 GB/s (EPYC, Zen 5)

/// Reads whole lines; returns something that depends on all of them.
uint64_t read_lines(const std::byte* from, size_t lines) {
    std::array<uint64_t, kLine / sizeof(uint64_t)> sums{};
    for (size_t i = 0; i < lines; ++i) {
        const std::byte* line = from + i * kLine;
        __builtin_prefetch(line + kAhead);
        std::array<uint64_t, sums.size()> words;
        std::memcpy(words.data(), line, kLine);
        for (size_t w = 0; w < sums.size(); ++w)
            sums[w] += words[w];
    }
    uint64_t total = 0;
    for (uint64_t sum : sums)
        total += sum;
    return total;
}

}  // namespace

Result<double> measure_read_bandwidth(unsigned threads, size_t bytes, Duration budget) {
    CHECK(threads >= 1);
    const size_t lines = std::max<size_t>(bytes / kLine / threads, 1);  // of each thread
    const size_t size = (lines * threads * kLine + kHugePage - 1) / kHugePage * kHugePage;
    const Error too_much{Code::exhausted, concat("measuring bandwidth needs ", size >> 20,
                                                 " MiB of memory that is not in use")};
    if (size > read_cpu_facts().available_bytes) return too_much;
    const std::unique_ptr<std::byte, decltype(&std::free)> memory(
        static_cast<std::byte*>(std::aligned_alloc(kHugePage, size)), &std::free);
    if (!memory) return too_much;
    madvise(memory.get(), size, MADV_HUGEPAGE);  // a wish: page walks cost 2 to 13 per cent
    std::memset(memory.get(), 1, size);

    std::atomic<uint64_t> sink = 0;
    const Duration pass = best_pass(threads, budget, [&](unsigned thread) {
        sink += read_lines(memory.get() + thread * lines * kLine, lines);
    });
    return static_cast<double>(lines * threads * kLine) / pass.seconds();
}

}  // namespace brigada
