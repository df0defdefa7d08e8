#include "hw/cpu.h"

#include <cpuid.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>

#include "base/joined.h"
#include "hw/cgroup.h"

namespace brigada {
namespace {

struct Feature {
    std::string_view name;
    Isa needed_by;  // the narrowest set that needs it
    uint32_t CpuFeatures::* word;
    unsigned bit;
};

// Source: Intel SDM volume 2A, CPUID leaves 1 and 7.
constexpr Feature kFeatures[] = {
    {"fma", Isa::avx2, &CpuFeatures::leaf1_ecx, 12},
    {"f16c", Isa::avx2, &CpuFeatures::leaf1_ecx, 29},
    {"avx2", Isa::avx2, &CpuFeatures::leaf7_ebx, 5},
    {"bmi2", Isa::avx2, &CpuFeatures::leaf7_ebx, 8},
    {"avx512f", Isa::avx512, &CpuFeatures::leaf7_ebx, 16},
    {"avx512dq", Isa::avx512, &CpuFeatures::leaf7_ebx, 17},
    {"avx512bw", Isa::avx512, &CpuFeatures::leaf7_ebx, 30},
    {"avx512vl", Isa::avx512, &CpuFeatures::leaf7_ebx, 31},
    {"avx512vbmi", Isa::avx512, &CpuFeatures::leaf7_ecx, 1},
    {"avx512vnni", Isa::avx512, &CpuFeatures::leaf7_ecx, 11},
    {"avx512bf16", Isa::avx512, &CpuFeatures::leaf7_1_eax, 5},
};

constexpr uint64_t kYmmState = 0x6;   // XCR0 bits 1 and 2: SSE and AVX registers
constexpr uint64_t kZmmState = 0xe6;  // and 5 to 7: opmask, upper ZMM, ZMM16 to 31

constexpr uint32_t kOsXsave = 1u << 27;  // CPUID leaf 1, ECX: the OS has switched XSAVE on

uint64_t read_xcr0() {
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

std::string runnable_isas() {
    std::vector<std::string_view> words;
    for (Isa isa : kAllIsas)
        if (isa <= best_isa()) words.push_back(to_string(isa));
    return joined(words);
}

std::string model_name() {
    std::array<uint32_t, 12> words{};  // leaves 0x80000002 to 4 spell 48 characters
    for (uint32_t leaf = 0; leaf < 3; ++leaf) {
        uint32_t* out = &words[leaf * 4];
        if (!__get_cpuid(0x80000002 + leaf, &out[0], &out[1], &out[2], &out[3])) return "unknown";
    }
    const auto* text = reinterpret_cast<const char*>(words.data());
    std::string name(text, strnlen(text, sizeof(words)));
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    return name.empty() ? "unknown" : name;
}

unsigned affinity_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
    // More processors than cpu_set_t holds: take what is online.
    return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

/// A quota of 1.5 keeps two threads busy three quarters of the time: round up, or half a core
/// idles.
unsigned usable_cores(unsigned allowed, const CgroupLimits& limits) {
    if (!limits.cpus) return allowed;
    const double quota = std::ceil(std::clamp(*limits.cpus, 1.0, 1e6));
    return std::min(allowed, static_cast<unsigned>(quota));
}

uint64_t cache_bytes(int sysconf_name) {
    return static_cast<uint64_t>(std::max(0L, sysconf(sysconf_name)));
}

/// A line "MemTotal:  24683656 kB" of /proc/meminfo, in bytes; 0 when absent.
uint64_t meminfo_bytes(const Path& root, std::string_view key) {
    std::ifstream in(root / "proc/meminfo");
    uint64_t kib = 0;
    for (std::string word; in >> word;)
        if (word == key && in >> kib) return kib * 1024;
    return 0;
}

}  // namespace

std::string_view to_string(Isa isa) {
    switch (isa) {
        case Isa::portable:
            return "portable";
        case Isa::avx2:
            return "avx2";
        case Isa::avx512:
            return "avx512";
    }
    CHECK(false, "isa=", static_cast<int>(isa));
}

CpuFeatures read_cpu_features() {
    CpuFeatures features;
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) features.leaf1_ecx = ecx;
    if (features.leaf1_ecx & kOsXsave) features.xcr0 = read_xcr0();
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        features.leaf7_ebx = ebx;
        features.leaf7_ecx = ecx;
        if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) features.leaf7_1_eax = eax;
    }
    return features;
}

std::vector<std::string_view> missing_features(Isa isa, const CpuFeatures& features) {
    std::vector<std::string_view> missing;
    for (const Feature& feature : kFeatures)
        if (feature.needed_by <= isa && !(features.*feature.word >> feature.bit & 1))
            missing.push_back(feature.name);
    if (isa >= Isa::avx2 && (features.xcr0 & kYmmState) != kYmmState)
        missing.push_back("AVX registers saved by the operating system");
    if (isa >= Isa::avx512 && (features.xcr0 & kZmmState) != kZmmState)
        missing.push_back("AVX-512 registers saved by the operating system");
    return missing;
}

Isa best_isa() {
    static const Isa best = [] {
        const CpuFeatures features = read_cpu_features();
        if (missing_features(Isa::avx512, features).empty()) return Isa::avx512;
        return missing_features(Isa::avx2, features).empty() ? Isa::avx2 : Isa::portable;
    }();
    return best;
}

Result<Isa> parse_isa(std::string_view word) {
    if (word == "auto") return best_isa();
    for (Isa isa : kAllIsas) {
        if (word != to_string(isa)) continue;
        if (isa <= best_isa()) return isa;
        return Error{Code::unsupported,
                     concat("instruction set ", word, " does not run on this machine, which lacks ",
                            joined(missing_features(isa, read_cpu_features())), "; it runs ",
                            runnable_isas())};
    }
    return Error{Code::invalid_argument, concat("unknown instruction set \"", word,
                                                "\"; this machine runs auto, ", runnable_isas())};
}

CpuFacts read_cpu_facts(const Path& root) {
    const CgroupLimits limits = read_cgroup_limits(root);
    CpuFacts facts;
    facts.model_name = model_name();
    facts.cores = usable_cores(affinity_cores(), limits);
    facts.l1_data_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE);
    facts.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
    facts.l3_bytes = cache_bytes(_SC_LEVEL3_CACHE_SIZE);
    facts.memory_bytes = meminfo_bytes(root, "MemTotal:");
    facts.available_bytes = meminfo_bytes(root, "MemAvailable:");
    if (limits.memory_bytes && *limits.memory_bytes < facts.memory_bytes) {
        const uint64_t limit = *limits.memory_bytes;
        facts.memory_bytes = limit;
        facts.available_bytes =
            std::min(facts.available_bytes, limit - std::min(limit, limits.memory_used_bytes));
    }
    return facts;
}

}  // namespace brigada
