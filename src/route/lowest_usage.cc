#include "route/lowest_usage.h"

#include <tuple>

namespace brigada {

// What was sent counts at once, so calls that come together spread; the fewest running calls decide
// among equals.
Policy::Pick LowestUsage::pick(const Call& call, std::span<const Candidate> candidates,
                               Instant now) {
    const auto rank = [&](const Candidate& candidate) {
        const auto sent = static_cast<__int128>(sent_[candidate.id].used(now));
        return std::tuple(sent, candidate.load.calls());
    };
    const auto is_less = [&](const Candidate& a, const Candidate& b) {
        const auto [sent_a, calls_a] = rank(a);
        const auto [sent_b, calls_b] = rank(b);
        return std::tuple(sent_a * b.facts.weight, calls_a) <
               std::tuple(sent_b * a.facts.weight, calls_b);
    };
    const Candidate* best = &candidates.front();
    for (const Candidate& candidate : candidates.subspan(1))
        if (is_less(candidate, *best)) best = &candidate;
    sent_[best->id].add(call.prompt_tokens + call.output_tokens, now);
    return {*best, RouteReason::lowest_usage};
}

}  // namespace brigada
