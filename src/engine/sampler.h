// Sampler: one choice's way from logits to tokens. It owns the choice's random numbers and its
// counts of tokens seen, and nothing else: the same seed and the same logits give the same token
// whatever else is in the batch.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "engine/request.h"
#include "grammar/token_mask.h"
#include "kernels/elementwise.h"

namespace brigada {

/// A token drawn, with its logprobs when they were asked for.
struct SampledToken {
    TokenId token{};
    TokenLogprob logprob;
    std::vector<TokenLogprob> top;
};

class Sampler {
  public:
    /// `kernels` do what runs over the whole vocabulary. `prompt` counts for the repetition
    /// penalty. `seed` is used as given: the caller mixes in the index of the choice.
    Sampler(const ElementwiseKernels& kernels, Sampling sampling, LogprobRequest logprobs,
            std::span<const TokenId> prompt, uint64_t seed);

    /// What may be drawn.
    struct Bounds {
        std::span<const TokenId> banned{};  // cannot be drawn
        const TokenMask* only = nullptr;    // no others can; null: all. Never empty with `also`
        std::span<const TokenId> also{};    // beside `only`
    };
    /// Draws from `logits` [vocab], which it overwrites. Where no logit of a token that may be
    /// drawn is a number above -infinity, one of `only` or `also` is drawn all the same.
    SampledToken draw(std::span<float> logits, const Bounds& bounds);

  private:
    struct Candidate {
        float probability;
        uint32_t token;
    };
    static bool likelier(const Candidate& a, const Candidate& b);

    void apply_bias(std::span<float> logits) const;
    void apply_penalties(std::span<float> logits) const;
    uint32_t draw_at_random(std::span<const float> logits);
    void collect_candidates(std::span<const float> logits);
    void keep_top_k();
    void keep_top_p();
    void remember(TokenId token);
    SampledToken with_logprobs(TokenId token) const;

    const ElementwiseKernels& kernels_;
    Sampling sampling_;
    LogprobRequest logprobs_;
    Rng rng_;
    /// How often each token seen was generated; 0 for those of the prompt alone. Applied token by
    /// token, so its order is free.
    std::unordered_map<uint32_t, uint32_t> seen_;
    std::vector<float> unmodified_;     // the logits that logprobs are taken from
    std::vector<float> probabilities_;  // scratch of draw_at_random, as is the next
    std::vector<Candidate> candidates_;
};

}  // namespace brigada
