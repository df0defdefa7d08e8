#include "plan/search.h"

#include <algorithm>

#include "base/concat.h"
#include "plan/page.h"

namespace brigada {

namespace {

double cost_of(const PlanOption& option) {
    return option.money ? option.money->per_hour : 1e300;
}

// Of two that cost the same, the one that is better as long as nothing is lost.
bool is_cheaper(const PlanOption& a, const PlanOption& b) {
    if (cost_of(a) != cost_of(b)) return cost_of(a) < cost_of(b);
    if (a.accelerators() != b.accelerators()) return a.accelerators() < b.accelerators();
    if (a.usual_tightness != b.usual_tightness) return a.usual_tightness < b.usual_tightness;
    return a.order < b.order;
}

bool is_nearer(const PlanOption& a, const PlanOption& b) {
    return a.tightness != b.tightness ? a.tightness < b.tightness : a.order < b.order;
}

bool is_over_budget(const PlanRequest& request, const PlanOption& option) {
    return request.budget_per_month > 0 && option.money &&
           option.money->per_month > request.budget_per_month;
}

/// More replicas than needed are points of the front, too.
std::vector<PlanOption> with_more(const PlanRequest& request, const PlanOption& option) {
    std::vector<PlanOption> out = {option};
    const uint32_t needed = option.replicas - option.spare;
    for (const uint32_t more : {needed + 1, needed * 3 / 2 + 1, needed * 2 + 1}) {
        if ((more + option.spare) * option.candidate.accelerators() > request.most_accelerators)
            break;
        out.push_back(option_with(request, option.candidate, option.situation, more + option.spare,
                                  option.spare));
    }
    return out;
}

std::vector<PlanOption> front_of(const PlanRequest& request, const std::vector<PlanOption>& met) {
    std::vector<PlanOption> points;
    for (const PlanOption& option : met)
        if (option.money)
            for (PlanOption& point : with_more(request, option))
                points.push_back(std::move(point));
    std::ranges::sort(points, is_cheaper);
    std::vector<PlanOption> front;
    for (PlanOption& point : points)
        if (front.empty() || point.tightness < 0.98 * front.back().tightness)
            front.push_back(std::move(point));
    return front;
}

Rejected over_budget(const PlanRequest& request, const PlanOption& option) {
    return {
        .candidate = option.candidate,
        .reason = fmt::format("{} replicas cost {:.0f} $ a month, over the budget of {:.0f} $",
                              option.replicas, option.money->per_month, request.budget_per_month)};
}

}  // namespace

SearchResult search(const PlanRequest& request) {
    SearchResult out;
    size_t order = 0;
    for (const PlanCandidate& candidate : candidates_of(request)) {
        const Result<Situation> replica = situation_of(request, candidate);
        if (!replica) {
            out.rejected.push_back({.candidate = candidate, .reason = replica.error().message});
            continue;
        }
        PlanOption option = fewest_replicas(request, candidate, *replica);
        option.order = order++;
        if (is_over_budget(request, option)) {
            out.rejected.push_back(over_budget(request, option));
            if (option.misses.empty() && (!out.too_dear || is_cheaper(option, *out.too_dear)))
                out.too_dear = std::move(option);
        } else if (option.misses.empty() && !option.degraded.saturated)
            out.met.push_back(std::move(option));
        else
            out.missed.push_back(std::move(option));
    }
    std::ranges::sort(out.met, is_cheaper);
    std::ranges::sort(out.missed, is_nearer);
    out.front = front_of(request, out.met);
    return out;
}

std::string nearest_text(const SearchResult& result) {
    if (result.missed.empty()) {
        if (result.rejected.empty()) return "no candidates";
        if (result.too_dear)
            return fmt::format(
                "no candidate is within the budget: the cheapest that meets the targets is {} x "
                "{}, "
                "{:.0f} $ a month",
                result.too_dear->replicas, name_of(result.too_dear->candidate),
                result.too_dear->money->per_month);
        const Rejected& largest = *std::ranges::max_element(
            result.rejected, {}, [](const Rejected& one) { return one.candidate.accelerators(); });
        return concat("no candidate can run it, not even ", name_of(largest.candidate), ": ",
                      largest.reason);
    }
    const PlanOption& near = result.missed.front();
    std::string by;
    for (const MissedTarget& miss : near.misses)
        by += concat(by.empty() ? "" : ", ", miss.target, " ", shown(miss.got), " ", miss.unit,
                     " instead of ", shown(miss.wanted), " (missed by ", shown(miss.factor), " x)");
    return concat("no candidate meets it: nearest is ", near.replicas, " x ",
                  name_of(near.candidate), ", ", by.empty() ? "which is saturated" : by);
}

}  // namespace brigada
