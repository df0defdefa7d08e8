// search(): every candidate judged, the cheapest that meets the targets chosen, and the front of
// those that cost less than whatever is better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/candidate.h"

namespace brigada {

struct Rejected {
    PlanCandidate candidate = {};
    std::string reason = {};
};

struct SearchResult {
    std::vector<PlanOption> met = {};     // cheapest first; those without a price at the end
    std::vector<PlanOption> missed = {};  // nearest first
    std::vector<Rejected> rejected = {};
    std::optional<PlanOption> too_dear = {};  // the cheapest that meets them, over the budget
    std::vector<PlanOption> front = {};       // cost up, tightness down: no other is better in both

    const PlanOption* chosen() const { return met.empty() ? nullptr : &met.front(); }
};

SearchResult search(const PlanRequest& request);

/// "no candidate meets it: nearest is ..., TTFT p90 12 s instead of 5 s".
std::string nearest_text(const SearchResult& result);

}  // namespace brigada
