#include "route/lowest_cost.h"

#include "route/least_busy.h"

namespace brigada {
namespace {

__int128 cost_pico(const Call& call, const Candidate& candidate) {
    const UpstreamRates& rates = candidate.facts.rates;
    const auto priced = [](int64_t tokens, int64_t rate_pico) {
        return static_cast<__int128>(tokens) * rate_pico;
    };
    return priced(call.prompt_tokens - candidate.kv.cached_tokens, rates.input_pico) +
           priced(candidate.kv.cached_tokens, rates.cached_input_pico) +
           priced(call.output_tokens, rates.output_pico);
}

}  // namespace

Policy::Pick LowestCost::pick(const Call& call, std::span<const Candidate> candidates, Instant) {
    const Candidate* best = &candidates.front();
    for (const Candidate& candidate : candidates.subspan(1)) {
        const __int128 cost = cost_pico(call, candidate);
        const __int128 lowest = cost_pico(call, *best);
        if (cost < lowest || (cost == lowest && is_less_busy(candidate, *best))) best = &candidate;
    }
    return {*best, RouteReason::lowest_cost};
}

}  // namespace brigada
