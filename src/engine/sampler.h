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

namespace brigada {

/// A token drawn, with its logprobs when they were asked for.
struct SampledToken {
    TokenId token{};
    TokenLogprob logprob;
    std::vector<TokenLogprob> top;
};

class Sampler {
  public:
    /// `prompt` counts for the repetition penalty. `seed` is used as given: the caller mixes in the
    /// index of the choice.
    Sampler(Sampling sampling, LogprobRequest logprobs, std::span<const TokenId> prompt,
            uint64_t seed);

    /// Draws from `logits` [vocab], which it overwrites. Tokens in `banned` cannot be drawn.
    SampledToken draw(std::span<float> logits, std::span<const TokenId> banned);

  private:
    struct Candidate {
        float weight;  // probability relative to the most likely token's
        uint32_t token;
    };
    static bool likelier(const Candidate& a, const Candidate& b);

    void apply_bias_and_bans(std::span<float> logits, std::span<const TokenId> banned) const;
    void apply_penalties(std::span<float> logits) const;
    uint32_t draw_at_random(std::span<const float> logits);
    void collect_candidates(std::span<const float> logits);
    void keep_top_k();
    void keep_top_p();
    void remember(TokenId token);

    Sampling sampling_;
    LogprobRequest logprobs_;
    Rng rng_;
    struct Seen {
        bool in_prompt = false;
        uint32_t generated = 0;
    };
    std::unordered_map<uint32_t, Seen>
        seen_;                           // only looked up and applied per token: order is free
    std::vector<Candidate> candidates_;  // scratch of draw_at_random
};

/// The logprobs of `token` and of the `top` most likely tokens under `logits` [vocab].
SampledToken logprobs_of(std::span<const float> logits, TokenId token, uint32_t top);

/// Index of the greatest value; the lowest one among equals. NaN never wins.
uint32_t argmax(std::span<const float> values);

}  // namespace brigada
