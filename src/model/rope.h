// Rope: rotary position embedding as a model was trained with it, and the numbers an engine needs
// from it. Formulas: Su et al. 2021; linear and dynamic scaling, YaRN (Peng et al. 2023), LongRoPE
// (Ding et al. 2024) and Llama 3 as Hugging Face transformers computes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/rope_pairing.h"

namespace brigada {

struct RopeUnscaled {
    bool operator==(const RopeUnscaled&) const = default;
};

/// Every frequency divided by `factor`.
struct RopeLinear {
    double factor = 1;
    bool operator==(const RopeLinear&) const = default;
};

/// NTK-aware: theta grows with the context beyond the one trained with.
struct RopeDynamic {
    double factor = 1;
    uint64_t original_context = 0;
    bool operator==(const RopeDynamic&) const = default;
};

/// Long wavelengths divided by `factor`, short ones kept, a ramp between.
struct RopeLlama3 {
    double factor = 1;
    double low_freq_factor = 1;
    double high_freq_factor = 4;
    uint64_t original_context = 8192;
    bool operator==(const RopeLlama3&) const = default;
};

struct RopeYarn {
    double factor = 1;
    uint64_t original_context = 0;
    double beta_fast = 32;  // rotations over the original context above which nothing is scaled
    double beta_slow = 1;   // and below which all is
    bool truncate = true;   // the ramp's ends rounded outwards to whole dimensions
    std::optional<double> attention_factor = std::nullopt;  // replaces the computed one
    std::optional<double> mscale = std::nullopt;
    std::optional<double> mscale_all_dim = std::nullopt;
    bool operator==(const RopeYarn&) const = default;
};

/// One divisor per frequency, for contexts up to the original and beyond it.
struct RopeLong {
    std::vector<float> short_factors = {};  // dims / 2 each
    std::vector<float> long_factors = {};
    uint64_t original_context = 0;
    double factor = 1;  // context over original context, for the attention factor
    std::optional<double> attention_factor = std::nullopt;
    bool operator==(const RopeLong&) const = default;
};

/// One divisor per frequency, computed by whoever wrote the file (GGUF's rope_freqs.weight).
struct RopeFactors {
    std::vector<float> factors;  // dims / 2
    bool operator==(const RopeFactors&) const = default;
};

using RopeScaling = std::variant<RopeUnscaled, RopeLinear, RopeDynamic, RopeLlama3, RopeYarn,
                                 RopeLong, RopeFactors>;

struct Rope {
    double theta = 10000;
    uint32_t dims = 0;  // the first `dims` numbers of a head turn, the others pass; even
    RopePairing pairing = RopePairing::halves;
    RopeScaling scaling = {};

    bool operator==(const Rope&) const = default;
};

/// Radians per position of pair i, dims / 2 of them. `context` is the longest sequence that will be
/// served: dynamic scaling and LongRoPE choose by it once, at load, so that keys in the cache stay
/// valid as a sequence grows (the other kinds do not look at it).
std::vector<float> rope_inverse_frequencies(const Rope& rope, uint64_t context);

/// What cos and sin are multiplied by (YaRN, LongRoPE); 1 for the others. `context` as above; none
/// of the kinds above makes the factor depend on it.
float rope_attention_factor(const Rope& rope, uint64_t context);

/// "none", "linear x4", "llama3 x32 from 8192": for people.
std::string to_string(const RopeScaling& scaling);

}  // namespace brigada
