#include "route/weighted.h"

namespace brigada {

// Everybody gains its weight, the richest is chosen and pays for all.
Policy::Pick Weighted::pick(const Call&, std::span<const Candidate> candidates, Instant) {
    const Candidate* richest = nullptr;
    int64_t total = 0;
    for (const Candidate& candidate : candidates) {
        credit_[candidate.id] += candidate.facts.weight;
        total += candidate.facts.weight;
        if (!richest || credit_[candidate.id] > credit_[richest->id]) richest = &candidate;
    }
    credit_[richest->id] -= total;
    return {*richest, RouteReason::by_weight};
}

}  // namespace brigada
