#include "route/lowest_latency.h"

#include <tuple>

namespace brigada {

// Latency alone would send everybody to the same upstream until its average had risen.
Policy::Pick LowestLatency::pick(const Call&, std::span<const Candidate> candidates, Instant) {
    const auto rank = [](const Candidate& candidate) {
        const auto calls = static_cast<__int128>(candidate.load.calls()) + 1;
        return std::tuple(candidate.load.latency().ns() * calls, calls);
    };
    const Candidate* best = &candidates.front();
    for (const Candidate& candidate : candidates.subspan(1))
        if (rank(candidate) < rank(*best)) best = &candidate;
    return {*best, RouteReason::lowest_latency};
}

}  // namespace brigada
