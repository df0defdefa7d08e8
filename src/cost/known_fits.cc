#include "cost/known_fits.h"

#include <algorithm>
#include <cctype>

#include "base/concat.h"

namespace brigada {

namespace {

/// "TensorRT-LLM", "tensorrt_llm" and "TensorRT LLM" are one.
std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// Operations for a byte of memory bandwidth below which kernels get near the peak: an A100 has 153
/// and an RTX 4090 164, where prefill was measured at 0.75 to 0.9 of it; an RTX PRO 6000 has 261
/// and an H100 295, where power and memory hold it at 0.35 to 0.6.
constexpr double kLeanFlopPerByte = 200;

/// PCIe 5.0 x16 in one direction; links above it are NVLink, Infinity Fabric and the like.
constexpr double kPcieBytesPerS = 64e9;

/// What an engine spends besides computing.
struct EngineManner {
    std::string_view name;
    double of_bandwidth;  // mbu
    double step_s, layer_s, sequence_s;
};

constexpr EngineManner kManners[] = {
    {"vllm", 0.8, 2e-3, 30e-6, 15e-6},    // Python scheduler, CUDA graphs
    {"sglang", 0.8, 2e-3, 30e-6, 30e-6},  // the same, and tokens pass three processes
    {"tensorrtllm", 0.85, 2e-3, 25e-6, 15e-6},
    {"llamacpp", 0.8, 0.2e-3, 10e-6, 20e-6},  // no Python, whole graph in one launch
};

const EngineManner& manner_of(std::string_view engine) {
    const auto* found = std::ranges::find(kManners, plain(engine), &EngineManner::name);
    return found == std::end(kManners) ? kManners[0] : *found;
}

}  // namespace

const std::vector<KnownFit>& known_fits() {
    // mfu, mbu, step_s, layer_s, sequence_s, link_efficiency, source
    static const std::vector<KnownFit> fits = {
#include "cost/known_fits.inc"
    };
    return fits;
}

EngineFit default_fit(const Accelerator& a, std::string_view engine) {
    const EngineManner& manner = manner_of(engine);
    const bool lean = a.bf16_flops < kLeanFlopPerByte * a.memory_bytes_per_s;
    EngineFit fit;
    fit.mfu = lean ? 0.75 : 0.5;
    fit.mbu = manner.of_bandwidth;
    fit.step_s = manner.step_s;
    fit.layer_s = manner.layer_s;
    fit.sequence_s = manner.sequence_s;
    // Messages through host memory, as without peer access, reach a fifth of PCIe and with it three
    // quarters; NVLink 0.5 to 0.8 (collective_test.cc).
    fit.link_efficiency = a.link_bytes_per_s <= kPcieBytesPerS ? 0.4 : 0.6;
    fit.source =
        concat("datasheet and what ", engine, " usually reaches; not measured on ", a.name);
    return fit;
}

EngineFit find_fit(const Accelerator& accelerator, std::string_view engine) {
    for (const KnownFit& known : known_fits())
        if (known.accelerator == accelerator.name && plain(known.engine) == plain(engine))
            return known.fit;
    return default_fit(accelerator, engine);
}

}  // namespace brigada
