#include "plan/report.h"

#include <algorithm>
#include <array>

#include "base/concat.h"
#include "plan/closed_form/explain.h"
#include "plan/closed_form/residency.h"
#include "plan/closed_form/solve.h"

namespace brigada {

namespace {

/// Declared, not measured: an office where people come between eight and ten.
constexpr std::array<double, 24> kOfficeDay = {0.02, 0.02, 0.02, 0.02, 0.02, 0.03, 0.08, 0.25,
                                               0.6,  0.9,  1.0,  1.0,  0.7,  0.8,  1.0,  1.0,
                                               0.95, 0.8,  0.45, 0.25, 0.2,  0.15, 0.1,  0.05};

double kept_share(const Situation& situation, const FleetFigures& figures) {
    const CacheLoad load{.workload = situation.workload,
                         .sessions = figures.sequences / situation.replicas,
                         .session_tokens = figures.session_tokens,
                         .answer_s = figures.call_s,
                         .held_s = figures.call_s - figures.wait_s,
                         .gap_scale = 1 / situation.peak_factor};
    return std::min(1.0, resident_tokens(load, kAwaySeconds) / kv_room_tokens(situation));
}

std::vector<HourOfDay> day_of(const PlanOption& option) {
    std::vector<HourOfDay> day;
    for (size_t hour = 0; hour < kOfficeDay.size(); ++hour) {
        Situation now = option.situation;
        now.people = option.situation.people * kOfficeDay[hour];
        const FleetFigures figures = solve(now);
        day.push_back({.hour = static_cast<int>(hour),
                       .people = now.people,
                       .running = figures.kv_use,
                       .kept = kept_share(now, figures),
                       .ttft_p90_s = figures.ttft_p90_s});
    }
    return day;
}

}  // namespace

Result<PlanReport> make_plan(PlanRequest request) {
    if (!request.targets.any()) request.targets = default_targets();
    request.workload = fitted_to_context(std::move(request.workload), context_limit(request.model));
    TRY(check_request(request));
    PlanReport report;
    report.result = search(request);
    report.request = std::move(request);
    if (const PlanOption* best = report.result.chosen()) {
        report.chosen = *best;
        report.page = explain(report.request, *best);
        report.scenarios = scenarios_of(report.request, *best);
        report.breaking = breaking_point(report.request, *best);
        report.grid = closed_form_grid(*best);
        report.day = day_of(*best);
    }
    return report;
}

std::string asked_text(const PlanReport& report) {
    const PlanRequest& request = report.request;
    return fmt::format("{:g} people with profile {} on {}", people(request), request.workload.name,
                       request.model_name);
}

std::string headline(const PlanReport& report) {
    const std::string who = asked_text(report);
    if (!report.chosen) return concat(who, ": ", nearest_text(report.result));
    const PlanOption& plan = *report.chosen;
    std::string out = fmt::format("{}: {} replica{} of {}, {} accelerator{}", who, plan.replicas,
                                  plan.replicas == 1 ? "" : "s", name_of(plan.candidate),
                                  plan.accelerators(), plan.accelerators() == 1 ? "" : "s");
    if (plan.spare > 0) out += fmt::format(" ({} of the replicas to spare)", plan.spare);
    if (plan.money)
        out += fmt::format(", {:.2f} $/h, {:.0f} $ a developer and month", plan.money->per_hour,
                           plan.money->per_developer_month);
    return out;
}

}  // namespace brigada
