#include "plan/request.h"

#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

Error wrong(std::string_view field, double value, std::string_view wants) {
    return {Code::invalid_argument, concat(field, ": ", value, "; ", wants)};
}

Result<void> within(std::string_view field, double value, double low, double high) {
    if (std::isfinite(value) && value >= low && value <= high) return {};
    return wrong(field, value, concat("from ", low, " to ", high, " is planned for"));
}

Result<void> check_target(std::string_view field, const std::optional<double>& target) {
    if (!target || (std::isfinite(*target) && *target > 0)) return {};
    return wrong(field, *target, "a target is more than 0; leave it out where there is none");
}

Result<void> check_targets(const Targets& targets) {
    TRY(check_target("ttft-p90", targets.ttft_p90_s));
    TRY(check_target("tpot", targets.tpot_s));
    TRY(check_target("interactivity", targets.interactivity_p90));
    TRY(check_target("task-p90", targets.task_p90_s));
    if (!targets.tpot_s || !targets.interactivity_p90) return {};
    if (1 / *targets.tpot_s >= *targets.interactivity_p90) return {};
    return Error{Code::invalid_argument, concat("interactivity: ", *targets.interactivity_p90,
                                                " tokens/s/user contradicts tpot: ",
                                                *targets.tpot_s, " s, which allows at most ",
                                                1 / *targets.tpot_s, "; loosen one of the two")};
}

Result<void> check_people(const PlanRequest& request) {
    if (request.sessions_per_hour != 0)
        return within("sessions-per-hour", request.sessions_per_hour, 0.001, 1e9);
    if (request.developers == 0)
        return wrong("developers", 0, "nobody needs no hardware; say how many people, such as 20");
    return within("developers", request.developers, 0.1, 1e8);
}

Result<void> check_workload(const Workload& workload) {
    TRY(within("profile.prompt_tokens", workload.prompt_tokens, 1, 1e8));
    TRY(within("profile.output_tokens", workload.output_tokens, 1, 1e7));
    TRY(within("profile.reuse", workload.reuse, 0, 1));
    TRY(within("profile.calls_per_session", workload.calls_per_session, 1, 1e6));
    TRY(within("profile.new_tokens", workload.new_tokens, 0, workload.prompt_tokens));
    return within("profile.shared_tokens", workload.shared_tokens, 0, workload.prompt_tokens);
}

Result<void> check_choices(const PlanRequest& request) {
    const auto none = [](std::string_view field) {
        return Error{Code::invalid_argument, concat(field, ": none; name at least one")};
    };
    if (request.accelerators.empty()) return none("accelerators");
    if (request.tensor_parallel.empty()) return none("tensor-parallel");
    if (request.kv_dtypes.empty()) return none("kv-dtype");
    if (request.ram_tiers.empty()) return none("ram-tier");
    for (const uint32_t tp : request.tensor_parallel)
        TRY(within("tensor-parallel", tp, 1, 64));
    return {};
}

}  // namespace

Targets default_targets() {
    return {.ttft_p90_s = 10, .tpot_s = 0.05};
}

double people(const PlanRequest& request) {
    if (request.sessions_per_hour == 0) return request.developers;
    return request.sessions_per_hour * request.workload.session_s / 3600;
}

Result<void> check_request(const PlanRequest& request) {
    TRY(check_people(request));
    TRY(check_workload(request.workload));
    TRY(check_targets(request.targets));
    TRY(check_choices(request));
    TRY(within("mfu", request.mfu.value_or(1), 0.01, 1));
    TRY(within("mbu", request.mbu.value_or(1), 0.01, 1));
    TRY(within("step-ms", 1000 * request.step_s.value_or(0), 0, 1000));
    TRY(within("peak-factor", request.peak_factor, 0.1, 100));
    TRY(within("spare", request.spare_replicas, 0, 64));
    TRY(within("utilisation", request.utilisation, 0.1, 1));
    TRY(within("working-hours", request.working_hours_per_month, 1, 744));
    TRY(within("budget", request.budget_per_month, 0, 1e12));
    TRY(within("price", request.price_per_hour, 0, 1e6));
    return within("step-tokens", request.step_tokens, 16, 1 << 20);
}

}  // namespace brigada
