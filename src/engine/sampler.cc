#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace brigada {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// log(sum(exp(values))), without overflow.
float log_sum_exp(std::span<const float> values) {
    const float greatest = values[argmax(values)];
    double sum = 0;
    for (float value : values)
        sum += std::exp(static_cast<double>(value - greatest));
    return greatest + static_cast<float>(std::log(sum));
}

/// More likely first; the lower id among equals, so that every machine agrees.
bool more_probable(const TokenLogprob& a, const TokenLogprob& b) {
    return a.logprob != b.logprob ? a.logprob > b.logprob : a.token < b.token;
}

}  // namespace

uint32_t argmax(std::span<const float> values) {
    CHECK(!values.empty());
    uint32_t best = 0;
    for (uint32_t i = 1; i < values.size(); ++i)
        if (values[i] > values[best] || std::isnan(values[best])) best = i;
    return best;
}

SampledToken logprobs_of(std::span<const float> logits, TokenId token, uint32_t top) {
    const float total = log_sum_exp(logits);
    SampledToken out{.token = token, .logprob = {token, logits[raw(token)] - total}, .top = {}};
    if (top == 0) return out;
    std::vector<TokenLogprob> all(logits.size());
    for (uint32_t i = 0; i < logits.size(); ++i)
        all[i] = {TokenId{i}, logits[i] - total};
    top = std::min<uint32_t>(top, static_cast<uint32_t>(all.size()));
    std::partial_sort(all.begin(), all.begin() + top, all.end(), more_probable);
    out.top.assign(all.begin(), all.begin() + top);
    return out;
}

Sampler::Sampler(Sampling sampling, LogprobRequest logprobs, std::span<const TokenId> prompt,
                 uint64_t seed)
    : sampling_(std::move(sampling)), logprobs_(logprobs), rng_(seed) {
    if (sampling_.repetition_penalty == 1.0f) return;
    for (TokenId token : prompt)
        seen_[raw(token)].in_prompt = true;
}

bool Sampler::likelier(const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
}

SampledToken Sampler::draw(std::span<float> logits, std::span<const TokenId> banned) {
    std::vector<float> unmodified;
    if (logprobs_.wanted) unmodified.assign(logits.begin(), logits.end());
    apply_bias_and_bans(logits, banned);
    apply_penalties(logits);
    const TokenId token{sampling_.greedy() ? argmax(logits) : draw_at_random(logits)};
    remember(token);
    if (!logprobs_.wanted) return {.token = token, .logprob = {token, 0}, .top = {}};
    return logprobs_of(unmodified, token, logprobs_.top);
}

void Sampler::apply_bias_and_bans(std::span<float> logits, std::span<const TokenId> banned) const {
    for (const auto& [token, bias] : sampling_.logit_bias)
        if (raw(token) < logits.size()) logits[raw(token)] += bias;
    for (TokenId token : banned)
        if (raw(token) < logits.size()) logits[raw(token)] = kNever;
}

void Sampler::apply_penalties(std::span<float> logits) const {
    for (const auto& [token, seen] : seen_) {
        if (token >= logits.size()) continue;
        float& logit = logits[token];
        const float factor = sampling_.repetition_penalty;
        logit = logit > 0 ? logit / factor : logit * factor;
        if (seen.generated == 0) continue;
        logit -= sampling_.presence_penalty;
        logit -= sampling_.frequency_penalty * static_cast<float>(seen.generated);
    }
}

uint32_t Sampler::draw_at_random(std::span<const float> logits) {
    collect_candidates(logits);
    keep_top_k();
    keep_top_p();
    double total = 0;
    for (const Candidate& c : candidates_)
        total += c.weight;
    double left = rng_.uniform() * total;
    for (const Candidate& c : candidates_) {
        left -= c.weight;
        if (left < 0) return c.token;
    }
    return candidates_.back().token;  // rounding left a crumb
}

/// The tokens min_p leaves, at least one, with weights relative to the most likely one.
void Sampler::collect_candidates(std::span<const float> logits) {
    const uint32_t best = argmax(logits);
    candidates_.clear();
    for (uint32_t i = 0; i < logits.size(); ++i) {
        const float weight = std::exp((logits[i] - logits[best]) / sampling_.temperature);
        if (weight > 0 && weight >= sampling_.min_p) candidates_.push_back({weight, i});
    }
    if (candidates_.empty()) candidates_.push_back({1.0f, best});  // all were NaN or -infinity
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
        total += c.weight;
    const auto heap_order = [](const Candidate& a, const Candidate& b) { return likelier(b, a); };
    std::make_heap(candidates_.begin(), candidates_.end(), heap_order);
    auto kept_begin = candidates_.end();
    double kept = 0;
    do {
        std::pop_heap(candidates_.begin(), kept_begin, heap_order);
        kept += (--kept_begin)->weight;
    } while (kept < sampling_.top_p * total && kept_begin != candidates_.begin());
    candidates_.erase(candidates_.begin(), kept_begin);
}

void Sampler::remember(TokenId token) {
    const bool counted = sampling_.repetition_penalty != 1.0f ||
                         sampling_.presence_penalty != 0.0f || sampling_.frequency_penalty != 0.0f;
    if (counted) ++seen_[raw(token)].generated;
}

}  // namespace brigada
