#include "route/least_busy.h"

#include "route/rendezvous.h"

namespace brigada {

bool is_less_busy(const Candidate& a, const Candidate& b) {
    return uint64_t{a.load.calls()} * b.facts.weight < uint64_t{b.load.calls()} * a.facts.weight;
}

// The call's own id decides among equals: an idle pool is used evenly, not from its first member.
Policy::Pick LeastBusy::pick(const Call& call, std::span<const Candidate> candidates, Instant) {
    std::vector<const Candidate*> least;
    for (const Candidate& candidate : candidates) {
        if (!least.empty() && is_less_busy(*least.front(), candidate)) continue;
        if (!least.empty() && is_less_busy(candidate, *least.front())) least.clear();
        least.push_back(&candidate);
    }
    return {rendezvous(raw(call.id), least), RouteReason::least_busy};
}

}  // namespace brigada
