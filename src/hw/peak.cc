#include "hw/peak.h"

#include <vector>

#include "base/check.h"
#include "hw/meter.h"

namespace brigada {

namespace portable {
extern const PeakLoops kMachinePeakLoops;
}
namespace avx2 {
extern const PeakLoops kMachinePeakLoops;
}
namespace avx512 {
extern const PeakLoops kMachinePeakLoops;
}

namespace {

const PeakLoops& peak_loops(Isa isa) {
    CHECK(isa <= best_isa(), to_string(isa), " does not run here");
    switch (isa) {
        case Isa::portable:
            return portable::kMachinePeakLoops;
        case Isa::avx2:
            return avx2::kMachinePeakLoops;
        case Isa::avx512:
            return avx512::kMachinePeakLoops;
    }
    CHECK(false, "isa=", static_cast<int>(isa));
}

/// Long enough (tens of microseconds) that starting the threads together costs nothing.
constexpr size_t kRounds = 20'000;

double measure(PeakLoop loop, unsigned threads, Duration budget) {
    struct alignas(64) PerThread {
        double operations = 0;
        float sink = 0;
    };
    std::vector<PerThread> per_thread(threads);
    const Duration pass = best_pass(threads, budget, [&](unsigned thread) {
        per_thread[thread].operations = loop(kRounds, &per_thread[thread].sink);
    });
    double operations = 0;
    for (const PerThread& one : per_thread)
        operations += one.operations;
    return operations / pass.seconds();
}

}  // namespace

Peak measure_peak(Isa isa, unsigned threads, Duration budget) {
    const PeakLoops& loops = peak_loops(isa);
    return {.float32 = measure(loops.float32, threads, budget),
            .int8 = measure(loops.int8, threads, budget)};
}

}  // namespace brigada
