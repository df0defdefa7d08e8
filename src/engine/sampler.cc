#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace brigada {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// More likely first; the lower id among equals, so that every machine agrees.
bool more_probable(const TokenLogprob& a, const TokenLogprob& b) {
    return a.logprob != b.logprob ? a.logprob > b.logprob : a.token < b.token;
}

/// Logits of tokens that are not in the mask, to -infinity. Words of 64 that are all in or all out
/// are most of them.
void apply_mask(std::span<float> logits, std::span<const uint64_t> words) {
    for (size_t begin = 0; begin < logits.size(); begin += 64) {
        const uint64_t word = begin / 64 < words.size() ? words[begin / 64] : 0;
        if (word == ~uint64_t{0}) continue;
        const std::span<float> part =
            logits.subspan(begin, std::min<size_t>(64, logits.size() - begin));
        if (word == 0) {
            std::fill(part.begin(), part.end(), kNever);
            continue;
        }
        for (size_t i = 0; i < part.size(); ++i)
            if (!((word >> i) & 1)) part[i] = kNever;
    }
}

void apply_bounds(std::span<float> logits, const Sampler::Bounds& bounds) {
    std::vector<float> kept;
    for (TokenId token : bounds.also)
        kept.push_back(raw(token) < logits.size() ? logits[raw(token)] : kNever);
    if (bounds.only) apply_mask(logits, bounds.only->words());
    for (size_t i = 0; i < kept.size(); ++i)
        if (raw(bounds.also[i]) < logits.size()) logits[raw(bounds.also[i])] = kept[i];
    for (TokenId token : bounds.banned)
        if (raw(token) < logits.size()) logits[raw(token)] = kNever;
}

bool may_be_drawn(TokenId token, const Sampler::Bounds& bounds) {
    return !bounds.only || bounds.only->contains(token) ||
           std::find(bounds.also.begin(), bounds.also.end(), token) != bounds.also.end();
}

}  // namespace

Sampler::Sampler(const ElementwiseKernels& kernels, Sampling sampling, LogprobRequest logprobs,
                 std::span<const TokenId> prompt, uint64_t seed)
    : kernels_(kernels), sampling_(std::move(sampling)), logprobs_(logprobs), rng_(seed) {
    if (sampling_.repetition_penalty == 1.0f) return;
    for (TokenId token : prompt)
        seen_.try_emplace(raw(token), 0);
}

bool Sampler::likelier(const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
}

SampledToken Sampler::draw(std::span<float> logits, const Bounds& bounds) {
    if (logprobs_.wanted) unmodified_.assign(logits.begin(), logits.end());
    apply_bias(logits);
    apply_penalties(logits);
    apply_bounds(logits, bounds);
    TokenId token{sampling_.greedy() ? static_cast<uint32_t>(argmax(kernels_, logits))
                                     : draw_at_random(logits)};
    if (!may_be_drawn(token, bounds))
        token = bounds.only->first().value_or(bounds.also.empty() ? token : bounds.also.front());
    remember(token);
    if (!logprobs_.wanted) return {.token = token, .logprob = {token, 0}, .top = {}};
    return with_logprobs(token);
}

/// The logprobs of `token` and of the most likely ones, under the unmodified logits.
SampledToken Sampler::with_logprobs(TokenId token) const {
    const float total = log_sum_exp(kernels_, unmodified_);
    const auto logprob = [&](uint32_t id) {
        return TokenLogprob{TokenId{id}, unmodified_[id] - total};
    };
    SampledToken out{.token = token, .logprob = logprob(raw(token)), .top = {}};
    if (logprobs_.top == 0) return out;
    std::vector<TokenLogprob> all(unmodified_.size());
    for (uint32_t i = 0; i < all.size(); ++i)
        all[i] = logprob(i);
    const size_t top = std::min<size_t>(logprobs_.top, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(top), all.end(),
                      more_probable);
    out.top.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(top));
    return out;
}

void Sampler::apply_bias(std::span<float> logits) const {
    for (const auto& [token, bias] : sampling_.logit_bias)
        if (raw(token) < logits.size()) logits[raw(token)] += bias;
}

void Sampler::apply_penalties(std::span<float> logits) const {
    for (const auto& [token, generated] : seen_) {
        if (token >= logits.size()) continue;
        float& logit = logits[token];
        const float factor = sampling_.repetition_penalty;
        logit = logit > 0 ? logit / factor : logit * factor;
        if (generated == 0) continue;
        logit -= sampling_.presence_penalty;
        logit -= sampling_.frequency_penalty * static_cast<float>(generated);
    }
}

uint32_t Sampler::draw_at_random(std::span<const float> logits) {
    collect_candidates(logits);
    keep_top_k();
    keep_top_p();
    double total = 0;
    for (const Candidate& c : candidates_)
        total += c.probability;
    double left = rng_.uniform() * total;
    for (const Candidate& c : candidates_) {
        left -= c.probability;
        if (left < 0) return c.token;
    }
    return candidates_.back().token;  // rounding left a crumb
}

/// The tokens min_p leaves; at least one.
void Sampler::collect_candidates(std::span<const float> logits) {
    const auto best = static_cast<uint32_t>(argmax(kernels_, logits));
    candidates_.assign(1, {1.0f, best});
    if (!std::isfinite(logits[best])) return;  // all are NaN or -infinity
    probabilities_.resize(logits.size());
    softmax(kernels_, logits, 1 / sampling_.temperature, probabilities_);
    const float least = sampling_.min_p * probabilities_[best];
    candidates_.clear();
    for (uint32_t i = 0; i < probabilities_.size(); ++i)
        if (probabilities_[i] > 0 && probabilities_[i] >= least)
            candidates_.push_back({probabilities_[i], i});
}

void Sampler::keep_top_k() {
    if (sampling_.top_k == 0 || sampling_.top_k >= candidates_.size()) return;
    std::nth_element(candidates_.begin(), candidates_.begin() + sampling_.top_k, candidates_.end(),
                     likelier);
    candidates_.resize(sampling_.top_k);
}

/// Counts the probability that is left after top_k, as vLLM and transformers do. A heap, because
/// the few tokens that are kept are seldom worth sorting the vocabulary for.
void Sampler::keep_top_p() {
    if (sampling_.top_p >= 1.0f) return;
    double total = 0;
    for (const Candidate& c : candidates_)
        total += c.probability;
    const auto heap_order = [](const Candidate& a, const Candidate& b) { return likelier(b, a); };
    std::make_heap(candidates_.begin(), candidates_.end(), heap_order);
    auto kept_begin = candidates_.end();
    double kept = 0;
    do {
        std::pop_heap(candidates_.begin(), kept_begin, heap_order);
        kept += (--kept_begin)->probability;
    } while (kept < sampling_.top_p * total && kept_begin != candidates_.begin());
    candidates_.erase(candidates_.begin(), kept_begin);
}

void Sampler::remember(TokenId token) {
    const bool counted = sampling_.repetition_penalty != 1.0f ||
                         sampling_.presence_penalty != 0.0f || sampling_.frequency_penalty != 0.0f;
    if (counted) ++seen_[raw(token)];
}

}  // namespace brigada
