// Cpu: which instruction set the kernels may use here, and what the processor and its container
// offer: cores, caches, memory. What the container takes away (affinity, cgroup quota and limit) is
// subtracted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace brigada {

/// The instruction sets kernels are written for, narrowest first: a machine that runs one runs all
/// before it. avx2 needs AVX2, FMA, F16C and BMI2; avx512 needs also F, BW, VL, DQ, VNNI, BF16 and
/// VBMI. Both need the operating system to save their registers.
enum class Isa { portable, avx2, avx512 };

inline constexpr Isa kAllIsas[] = {Isa::portable, Isa::avx2, Isa::avx512};

std::string_view to_string(Isa isa);

/// The widest instruction set this machine runs. Looked up once.
Isa best_isa();

/// "auto", "portable", "avx2" or "avx512". Error::unsupported names what this machine lacks and
/// what it can run; Error::invalid_argument lists the words that exist.
Result<Isa> parse_isa(std::string_view word);

/// What the processor says of itself: the words of CPUID and XCR0 that decide about an Isa.
struct CpuFeatures {
    uint32_t leaf1_ecx = 0;
    uint32_t leaf7_ebx = 0;
    uint32_t leaf7_ecx = 0;
    uint32_t leaf7_1_eax = 0;
    uint64_t xcr0 = 0;  // register sets the operating system saves; 0 without OSXSAVE
};

CpuFeatures read_cpu_features();

/// Names of the features `isa` needs and `features` lacks; empty when it runs. In a fixed order.
std::vector<std::string_view> missing_features(Isa isa, const CpuFeatures& features);

struct CpuFacts {
    std::string model_name;  // as the processor spells it; "unknown" when it does not
    unsigned cores = 1;      // threads we may run at once: affinity and cgroup quota, at least 1
    uint64_t l1_data_bytes = 0;    // of one core; 0 when unknown, as for the other caches
    uint64_t l2_bytes = 0;         // of one core
    uint64_t l3_bytes = 0;         // of one complex, shared
    uint64_t memory_bytes = 0;     // RAM, or the cgroup's limit when that is less
    uint64_t available_bytes = 0;  // of that, not in use
};

/// Facts of this machine. `root` stands for "/": a test passes a made-up tree.
CpuFacts read_cpu_facts(const Path& root = "/");

}  // namespace brigada
