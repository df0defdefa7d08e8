#include "plan/what_if.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "plan/closed_form/solve.h"
#include "plan/verify.h"
#include "sim/sim_runs.h"
#include "trace/profile.h"

namespace brigada {

namespace {

constexpr double kContexts[] = {0.5, 1, 1.5, 2};
constexpr double kPersonHours = 60;  // make steady percentiles
constexpr double kShortestS = 20 * 60;
constexpr double kLongestS = 100 * 60;

double some_people(const PlanOption& option, double times) {
    return std::max(1.0, std::round(times * option.situation.people));
}

/// Some fewer than planned, and on from there.
std::vector<uint32_t> replica_counts(const PlanOption& option, uint32_t fewer, uint32_t count) {
    const uint32_t least = option.replicas - std::min(option.replicas - 1, fewer);
    std::vector<uint32_t> counts(count);
    std::ranges::generate(counts, [next = least]() mutable { return next++; });
    return counts;
}

Duration time_for(double people) {
    return kSimulatedWarmUp +
           Duration::from_seconds(std::clamp(kPersonHours * 3600 / people, kShortestS, kLongestS));
}

}  // namespace

std::vector<GridPoint> closed_form_grid(const PlanOption& option) {
    std::vector<GridPoint> grid;
    for (const double times : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0})
        for (const uint32_t replicas : replica_counts(option, 2, 6))
            for (const double context : kContexts) {
                Situation changed = option.situation;
                changed.people = some_people(option, times);
                changed.replicas = replicas;
                changed.workload.prompt_tokens *= context;
                grid.push_back({.people = changed.people,
                                .replicas = replicas,
                                .context = context,
                                .figures = solve(changed)});
            }
    return grid;
}

Result<std::vector<GridPoint>> simulated_grid(const PlanRequest& request, const PlanOption& option,
                                              uint64_t seed, uint32_t threads) {
    std::vector<GridPoint> grid;
    std::deque<Trace> traces;  // runs point to them
    std::vector<SimRun> runs;
    for (const double context : kContexts) {
        Profile profile = people_at_peak(request, option);
        lengthen(profile, context);
        for (const double times : {0.5, 1.0, 1.5, 2.0, 3.0}) {
            const double people = some_people(option, times);
            const Duration time = time_for(people);
            TRY(traces.emplace_back(), calls_of(profile, option, people, time, seed));
            for (const uint32_t replicas : replica_counts(option, 1, 4)) {
                SimRun& run = runs.emplace_back(&traces.back(), sim_setup_of(option, seed));
                run.setup.replicas.front().count = replicas;
                run.setup.until = Instant() + time;  // who waits long asks less in it
                grid.push_back({.people = people, .replicas = replicas, .context = context});
            }
        }
    }
    TRY(const std::vector<SimReport> reports, simulate_all(runs, threads));
    for (size_t i = 0; i < grid.size(); ++i)
        grid[i].figures = figures_of(reports[i]);
    return grid;
}

}  // namespace brigada
