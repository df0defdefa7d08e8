#include "route/round_robin.h"

#include <algorithm>

namespace brigada {

Policy::Pick RoundRobin::pick(const Call&, std::span<const Candidate> candidates, Instant) {
    const auto after_last = [&](const Candidate& c) { return !last_ || c.id > *last_; };
    const auto next = std::ranges::find_if(candidates, after_last);
    const Candidate& chosen = next == candidates.end() ? candidates.front() : *next;
    last_ = chosen.id;
    return {chosen, RouteReason::in_turn};
}

}  // namespace brigada
