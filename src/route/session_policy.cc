#include "route/session_policy.h"

#include <algorithm>

namespace brigada {

Policy::Pick SessionPolicy::pick(const Call& call, std::span<const Candidate> candidates, Instant) {
    const auto open =
        within_bound(candidates, config_.load_bound_per_mille, config_.load_floor_calls);
    const Candidate& best = fastest(call, open);
    const auto home = std::ranges::find_if(candidates, &Candidate::is_pinned);
    if (home == candidates.end())
        return {best, best.kv.cached_tokens > 0 ? RouteReason::cached : RouteReason::fastest};
    if (std::ranges::find(open, &*home) == open.end()) return {best, RouteReason::spills};
    if (pays_to_move(*home, best)) return {best, RouteReason::moves};
    return {*home, RouteReason::stays};
}

// Elsewhere it would wait for so long at least, and read nothing at best.
bool SessionPolicy::stays_anyway(const Candidate& home, Duration least_waiting) const {
    const Duration saved = home.expected.queue + home.expected.decode - least_waiting;
    const Duration reading = home.expected.prefill + home.expected.eviction;
    return home.load.calls() < config_.load_floor_calls &&
           saved + reading * config_.reread_per_mille / 1000 <= config_.move_margin;
}

bool SessionPolicy::pays_to_move(const Candidate& from, const Candidate& to) const {
    const auto waiting = [](const Estimate& e) { return e.queue + e.decode; };
    const auto reading = [](const Estimate& e) { return e.prefill + e.eviction; };
    const int64_t unread = to.load.calls() - to.load.decoding();
    const Duration saved = waiting(from.expected) - waiting(to.expected);
    const Duration reread = reading(to.expected) - reading(from.expected);
    const Duration delays_others = std::max(reread, Duration()) * unread;
    return saved > reread * config_.reread_per_mille / 1000 + delays_others + config_.move_margin;
}

// Of those that are as fast as the fastest, by affinity: the home of the session, then where most
// is cached; then by rendezvous.
const Candidate& SessionPolicy::fastest(const Call& call,
                                        std::span<const Candidate* const> open) const {
    const Duration least = (*std::ranges::min_element(open, {}, [](auto* candidate) {
                               return candidate->expected.total();
                           }))->expected.total();
    const auto affinity = [](const Candidate& candidate) {
        return std::pair(candidate.is_pinned, candidate.kv.cached_tokens);
    };
    std::vector<const Candidate*> equals;
    equals.reserve(open.size());
    for (const Candidate* candidate : open) {
        if (candidate->expected.total() > least + config_.tie) continue;
        if (!equals.empty() && affinity(*candidate) < affinity(*equals.front())) continue;
        if (!equals.empty() && affinity(*equals.front()) < affinity(*candidate)) equals.clear();
        equals.push_back(candidate);
    }
    return rendezvous(affinity_key(call), equals);
}

}  // namespace brigada
