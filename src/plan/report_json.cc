// The report as JSON: stable names, numbers in SI units, null where a value is endless or unknown.
#include <cmath>

#include "plan/emit/engine_flags.h"
#include "plan/report.h"

namespace brigada {

namespace {

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(const FleetFigures& figures) {
    return {{"calls_per_s", number(figures.calls_per_s)},
            {"running", number(figures.running)},
            {"hit_rate", number(figures.hit_rate)},
            {"eviction_age_s", number(figures.eviction_age_s)},
            {"uncached_tokens_per_call", number(figures.uncached_per_call)},
            {"kv_use", number(figures.kv_use)},
            {"read_busy", number(figures.read_busy)},
            {"decode_batch", number(figures.decode_batch)},
            {"tpot_s", number(figures.tpot_s)},
            {"ttft_s",
             {{"mean", number(figures.ttft_s)},
              {"p50", number(figures.ttft_p50_s)},
              {"p90", number(figures.ttft_p90_s)},
              {"p95", number(figures.ttft_p95_s)},
              {"p99", number(figures.ttft_p99_s)}}},
            {"call_s", {{"mean", number(figures.call_s)}, {"p90", number(figures.call_p90_s)}}},
            {"interactivity_p90", number(figures.interactivity_p90)},
            {"task_p90_s", number(figures.task_p90_s)},
            {"saturated", figures.saturated}};
}

Json to_json(const std::vector<MissedTarget>& misses) {
    Json out = Json::array();
    for (const MissedTarget& miss : misses)
        out.push_back({{"target", miss.target},
                       {"wanted", number(miss.wanted)},
                       {"got", number(miss.got)},
                       {"unit", miss.unit},
                       {"factor", number(miss.factor)}});
    return out;
}

Json to_json(const std::optional<FleetCost>& money) {
    if (!money) return {};
    return {{"per_hour", number(money->per_hour)},
            {"per_hour_low", number(money->per_hour_low)},
            {"per_hour_high", number(money->per_hour_high)},
            {"per_month", number(money->per_month)},
            {"per_developer_month", number(money->per_developer_month)},
            {"per_million_output_tokens", number(money->per_million_output)},
            {"per_million_tokens", number(money->per_million_tokens)},
            {"kilowatts", number(money->kilowatts)}};
}

Json to_json(const PlanCandidate& candidate) {
    return {{"accelerator", candidate.accelerator.name},
            {"tp", candidate.tp},
            {"dp", candidate.dp},
            {"ep", candidate.ep},
            {"kv_dtype", to_string(candidate.kv_dtype)},
            {"ram_tier_bytes", candidate.ram_tier_bytes}};
}

Json to_json(const PlanOption& option) {
    const MemoryBudget& memory = option.situation.memory;
    return {{"candidate", to_json(option.candidate)},
            {"replicas", option.replicas},
            {"spare_replicas", option.spare},
            {"accelerators", option.accelerators()},
            {"max_num_seqs", max_sequences(option)},
            {"kv_bytes_per_token_and_rank", memory.kv_size.per_token},
            {"kv_blocks", memory.blocks},
            {"kv_block_tokens", memory.kv_size.block_tokens},
            {"dollars", to_json(option.money)},
            {"all_replicas", to_json(option.normal)},
            {"without_spare", to_json(option.degraded)},
            {"misses", to_json(option.misses)}};
}

Json to_json(const std::vector<PlanOption>& options) {
    Json out = Json::array();
    for (const PlanOption& option : options)
        out.push_back(to_json(option));
    return out;
}

Json to_json(const std::vector<Scenario>& scenarios) {
    Json out = Json::array();
    for (const Scenario& one : scenarios)
        out.push_back({{"name", one.name},
                       {"what", one.what},
                       {"prefill", number(one.prefill)},
                       {"recovery_s", number(one.recovery_s)},
                       {"collapses", one.collapses()},
                       {"misses", to_json(one.misses)},
                       {"figures", to_json(one.figures)}});
    return out;
}

Json to_json(const std::vector<Rejected>& rejected) {
    Json out = Json::array();
    for (const Rejected& one : rejected)
        out.push_back({{"candidate", to_json(one.candidate)}, {"reason", one.reason}});
    return out;
}

Json to_json(const std::vector<GridPoint>& grid) {
    Json out = Json::array();
    for (const GridPoint& point : grid)
        out.push_back({{"people", point.people},
                       {"replicas", point.replicas},
                       {"context", point.context},
                       {"ttft_p90_s", number(point.figures.ttft_p90_s)},
                       {"tpot_s", number(point.figures.tpot_s)},
                       {"interactivity_p90", number(point.figures.interactivity_p90)},
                       {"hit_rate", number(point.figures.hit_rate)},
                       {"saturated", point.figures.saturated}});
    return out;
}

Json to_json(const std::vector<HourOfDay>& day) {
    Json out = Json::array();
    for (const HourOfDay& hour : day)
        out.push_back({{"hour", hour.hour},
                       {"people", number(hour.people)},
                       {"running", number(hour.running)},
                       {"kept", number(hour.kept)},
                       {"ttft_p90_s", number(hour.ttft_p90_s)}});
    return out;
}

Json to_json(const Targets& targets) {
    const auto wanted = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json();
    };
    return {{"ttft_p90_s", wanted(targets.ttft_p90_s)},
            {"tpot_s", wanted(targets.tpot_s)},
            {"interactivity_p90", wanted(targets.interactivity_p90)},
            {"task_p90_s", wanted(targets.task_p90_s)}};
}

}  // namespace

Json to_json(const PlanReport& report) {
    const PlanRequest& request = report.request;
    Json out = {{"headline", headline(report)},
                {"people", people(request)},
                {"profile", request.workload.name},
                {"profile_source", request.workload.source},
                {"model", request.model_name},
                {"targets", to_json(request.targets)},
                {"peak_factor", request.peak_factor},
                {"chosen", report.chosen ? to_json(*report.chosen) : Json()},
                {"breaks_at",
                 {{"people", number(report.breaking.people)}, {"first", report.breaking.first}}},
                {"scenarios", to_json(report.scenarios)},
                {"met", to_json(report.result.met)},
                {"missed", to_json(report.result.missed)},
                {"rejected", to_json(report.result.rejected)},
                {"front", to_json(report.result.front)},
                {"explained", to_json(report.page)},
                {"grid", to_json(report.grid)},
                {"grid_is_simulated", report.grid_is_simulated},
                {"day", to_json(report.day)}};
    if (report.verification) out["verification"] = to_json(*report.verification);
    return out;
}

}  // namespace brigada
