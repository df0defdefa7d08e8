#include "plan/candidate.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "cost/known_fits.h"
#include "plan/closed_form/solve.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

void add_miss(std::vector<MissedTarget>& out, std::string_view target, std::string_view unit,
              const std::optional<double>& wanted, double got, bool more_is_better = false) {
    if (!wanted) return;
    const double factor = more_is_better ? *wanted / std::max(got, 1e-9) : got / *wanted;
    out.push_back({.target = std::string(target),
                   .wanted = *wanted,
                   .got = got,
                   .unit = std::string(unit),
                   .factor = factor});
}

std::vector<MissedTarget> all_targets(const Targets& targets, const FleetFigures& figures) {
    std::vector<MissedTarget> out;
    add_miss(out, "TTFT p90", "s", targets.ttft_p90_s, figures.ttft_p90_s);
    add_miss(out, "TPOT", "s", targets.tpot_s, figures.tpot_s);
    add_miss(out, "interactivity p90", "tokens/s", targets.interactivity_p90,
             figures.interactivity_p90, true);
    add_miss(out, "task p90", "s", targets.task_p90_s, figures.task_p90_s);
    return out;
}

uint32_t most_replicas(const PlanRequest& request, const PlanCandidate& candidate) {
    const uint32_t all = request.most_accelerators / candidate.accelerators();
    return all > request.spare_replicas ? all - request.spare_replicas : 0;
}

double price_of(const PlanRequest& request, const Accelerator& accelerator) {
    if (request.price_per_hour > 0) return request.price_per_hour;
    return std::midpoint(accelerator.dollars_per_hour_low, accelerator.dollars_per_hour_high);
}

EngineFit fit_of(const PlanRequest& request, const Accelerator& accelerator) {
    EngineFit fit = find_fit(accelerator, request.engine);
    if (!request.mfu && !request.mbu && !request.step_s) return fit;
    fit.mfu = request.mfu.value_or(fit.mfu);
    fit.mbu = request.mbu.value_or(fit.mbu);
    fit.step_s = request.step_s.value_or(fit.step_s);
    fit.source = "as declared";
    return fit;
}

/// What must fit of one sequence: the longest context, or the request is refused there.
Result<void> check_longest(const Situation& situation) {
    const double room = kv_room_tokens(situation) / situation.deployment.dp;
    const double longest = situation.workload.context_p90;
    if (room >= longest) return {};
    return Error{Code::too_large,
                 fmt::format("room for {:.0f} tokens of KV; one call in ten carries more than "
                             "{:.0f}: more ranks, or KV in fewer bits",
                             room, longest)};
}

bool good(const PlanRequest& request, const FleetFigures& figures) {
    return !figures.saturated && misses(request.targets, figures).empty();
}

FleetFigures figures_with(Situation situation, uint32_t replicas) {
    situation.replicas = replicas;
    return solve(situation);
}

}  // namespace

std::string name_of(const PlanCandidate& candidate) {
    std::string name = concat(candidate.accelerator.name, ", TP ", candidate.tp);
    if (candidate.dp > 1) name += concat(", DP ", candidate.dp);
    if (candidate.ep > 1) name += concat(", EP ", candidate.ep);
    name += concat(", KV ", to_string(candidate.kv_dtype));
    if (candidate.ram_tier_bytes > 0)
        name += fmt::format(", {:.0f} GiB of RAM each", candidate.ram_tier_bytes / kGiB);
    return name;
}

std::vector<PlanCandidate> candidates_of(const PlanRequest& request) {
    std::vector<PlanCandidate> out;
    for (const Accelerator& accelerator : request.accelerators)
        for (const uint32_t ranks : request.tensor_parallel)
            for (const KvDtype kv_dtype : request.kv_dtypes)
                for (const double ram : request.ram_tiers) {
                    PlanCandidate one{.accelerator = accelerator,
                                      .tp = ranks,
                                      .kv_dtype = kv_dtype,
                                      .ram_tier_bytes = ram};
                    out.push_back(one);
                    if (!request.model.is_moe() || ranks == 1) continue;
                    one.tp = 1;
                    one.dp = one.ep = ranks;
                    out.push_back(one);
                }
    return out;
}

Result<Situation> situation_of(const PlanRequest& request, const PlanCandidate& candidate) {
    Situation out;
    out.workload = request.workload;
    out.people = people(request);
    out.peak_factor = request.peak_factor;
    out.deployment = {.model = request.model,
                      .accelerator = candidate.accelerator,
                      .tp = candidate.tp,
                      .dp = candidate.dp,
                      .ep = candidate.ep,
                      .kv_dtype = candidate.kv_dtype,
                      .utilisation = request.utilisation,
                      .step_tokens = request.step_tokens,
                      .max_context = static_cast<uint32_t>(request.workload.context_max)};
    TRY(out.memory, memory_budget(out.deployment));
    out.fit = fit_of(request, candidate.accelerator);
    out.cost = StepCost(step_coefficients(out.deployment, out.fit));
    out.tiers = request.tier_speeds;
    out.tiers.ram_bytes = candidate.ram_tier_bytes;
    TRY(check_longest(out));
    return out;
}

std::vector<MissedTarget> misses(const Targets& targets, const FleetFigures& figures) {
    std::vector<MissedTarget> all = all_targets(targets, figures);
    std::erase_if(all, [](const MissedTarget& miss) { return miss.factor <= 1; });
    return all;
}

double tightness(const Targets& targets, const FleetFigures& figures) {
    double worst = 0;
    for (const MissedTarget& one : all_targets(targets, figures))
        worst = std::max(worst, one.factor);
    return worst;
}

std::optional<FleetCost> money_of(const PlanRequest& request, const PlanOption& option) {
    const Accelerator& accelerator = option.candidate.accelerator;
    const double price = price_of(request, accelerator);
    if (price <= 0) return std::nullopt;
    const bool given = request.price_per_hour > 0;
    const double count = option.accelerators();
    const Workload& workload = request.workload;
    FleetCost money;
    money.per_hour = count * price;
    money.per_hour_low = given ? money.per_hour : count * accelerator.dollars_per_hour_low;
    money.per_hour_high = given ? money.per_hour : count * accelerator.dollars_per_hour_high;
    money.per_month = money.per_hour * kHoursPerMonth;
    money.per_developer_month = money.per_month / people(request);
    const double calls = option.normal.calls_per_s * 3600 * request.working_hours_per_month;
    money.per_million_output = money.per_month / (calls * workload.output_tokens) * 1e6;
    money.per_million_tokens =
        money.per_month / (calls * (workload.prompt_tokens + workload.output_tokens)) * 1e6;
    money.kilowatts = count * accelerator.watts / 1000;
    return money;
}

PlanOption option_with(const PlanRequest& request, const PlanCandidate& candidate,
                       const Situation& replica, uint32_t replicas, uint32_t spare) {
    PlanOption out;
    out.candidate = candidate;
    out.situation = replica;
    out.situation.replicas = replicas;
    out.replicas = replicas;
    out.spare = spare;
    out.degraded = figures_with(replica, replicas - spare);
    out.normal = spare == 0 ? out.degraded : figures_with(replica, replicas);
    out.money = money_of(request, out);
    out.misses = misses(request.targets, out.degraded);
    out.tightness = tightness(request.targets, out.degraded);
    out.usual_tightness = tightness(request.targets, out.normal);
    return out;
}

PlanOption fewest_replicas(const PlanRequest& request, const PlanCandidate& candidate,
                           const Situation& replica) {
    const uint32_t most = std::max(1u, most_replicas(request, candidate));
    uint32_t enough = 1, nearest = 1;
    double least = 1e300;
    for (;;) {
        const FleetFigures figures = figures_with(replica, enough);
        if (good(request, figures)) break;
        const double factor = tightness(request.targets, figures);
        if (factor < 0.99 * least) {
            least = factor;
            nearest = enough;
        }
        if (enough == most) {
            return option_with(request, candidate, replica, nearest + request.spare_replicas,
                               request.spare_replicas);
        }
        enough = std::min(most, enough * 2);
    }
    uint32_t few = enough / 2;
    while (few + 1 < enough) {
        const uint32_t middle = few + (enough - few) / 2;
        (good(request, figures_with(replica, middle)) ? enough : few) = middle;
    }
    return option_with(request, candidate, replica, enough + request.spare_replicas,
                       request.spare_replicas);
}

}  // namespace brigada
