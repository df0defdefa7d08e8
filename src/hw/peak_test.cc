#include "hw/peak.h"

#include <gtest/gtest.h>

#include <vector>

#include "hw/bandwidth.h"
#include "hw/meter.h"

namespace brigada {
namespace {

constexpr Duration kShort = Duration::milliseconds(5);

TEST(BestPass, runs_the_body_on_every_thread_in_every_pass) {
    for (unsigned threads : {1u, 2u, 5u}) {
        std::vector<int> runs(threads, 0);
        const Duration best =
            best_pass(threads, Duration::nanoseconds(0), [&](unsigned thread) { ++runs[thread]; });
        EXPECT_EQ(runs, std::vector<int>(threads, 2));
        EXPECT_GT(best.ns(), 0);
    }
}

TEST(Peak, lies_between_a_slow_core_and_physics) {
    for (Isa isa : kAllIsas) {
        if (isa > best_isa()) continue;
        const Peak peak = measure_peak(isa, 1, kShort);
        // 512-bit registers, two a cycle at 7 GHz: 448 GFLOP/s and 1.8 TOP/s.
        EXPECT_GT(peak.float32, 1e8) << to_string(isa);
        EXPECT_LT(peak.float32, 450e9) << to_string(isa) << ": the loop was optimised away";
        EXPECT_GT(peak.int8, 1e8) << to_string(isa);
        EXPECT_LT(peak.int8, 1.8e12) << to_string(isa) << ": the loop was optimised away";
    }
}

TEST(Bandwidth, lies_between_a_slow_memory_and_physics) {
    for (unsigned threads : {1u, 2u}) {
        const double bytes = measure_read_bandwidth(threads, size_t{64} << 20, kShort).value();
        EXPECT_GT(bytes, 1e8);
        EXPECT_LT(bytes, 1e12) << "the loop was optimised away";
    }
}

TEST(Bandwidth, says_when_there_is_no_such_memory) {
    const Result<double> bandwidth = measure_read_bandwidth(1, size_t{1} << 62, kShort);
    ASSERT_FALSE(bandwidth.ok());
    EXPECT_EQ(bandwidth.error().code, Code::exhausted);
}

}  // namespace
}  // namespace brigada
