#include "route/prefix_hash.h"

#include <algorithm>

#include "base/check.h"
#include "base/ids.h"
#include "route/least_busy.h"

namespace brigada {
namespace {

constexpr uint32_t kBoundPerMille = 1250;  // of the mean: what consistent hashing with bounds takes
constexpr uint32_t kFloorCalls = 1;        // an idle upstream is never over it

}  // namespace

// A key stands for its block and all before it, so the last of the first blocks says it all.
Policy::Pick PrefixHash::pick(const Call& call, std::span<const Candidate> candidates, Instant) {
    CHECK(blocks_ > 0);
    const size_t last = std::min<size_t>(blocks_, call.keys.size());
    const uint64_t key = last == 0 ? 0 : raw(call.keys[last - 1]);
    std::vector<const Candidate*> all;
    for (const Candidate& candidate : candidates)
        all.push_back(&candidate);
    const Candidate& named = rendezvous(key, all);
    const auto within = within_bound(candidates, kBoundPerMille, kFloorCalls);
    if (std::ranges::find(within, &named) != within.end()) return {named, RouteReason::prefix_hash};
    const Candidate& idlest = **std::ranges::min_element(
        all, [](const Candidate* a, const Candidate* b) { return is_less_busy(*a, *b); });
    return {idlest, RouteReason::hash_overflow};
}

}  // namespace brigada
