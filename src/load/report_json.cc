// A run as JSON: what was run, the figures, and a column per measure for comparisons.
#include "base/concat.h"
#include "load/report.h"

namespace brigada {

namespace {

Json json_of(const Spread& spread) {
    return {{"count", spread.count}, {"mean", spread.mean}, {"p50", spread.p50},
            {"p90", spread.p90},     {"p95", spread.p95},   {"p99", spread.p99},
            {"max", spread.max}};
}

Json json_of(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json target_ms(const std::optional<Duration>& target) {
    return target ? Json(static_cast<double>(target->ns()) / 1e6) : Json(nullptr);
}

Json run_json(const LoadReport& report) {
    return {{"url", report.url},
            {"model", report.model},
            {"api", report.api},
            {"workload", report.workload},
            {"pace", report.pace},
            {"seed", report.seed},
            {"started", report.started},
            {"warm_up_seconds", report.warm_up.seconds()},
            {"interrupted", report.measured.interrupted}};
}

Json calls_json(const LoadReport& report) {
    const LoadFigures& figures = report.figures;
    return {{"sent", figures.sent},
            {"finished", figures.finished},
            {"failed", figures.failed},
            {"unfinished", figures.unfinished},
            {"due_and_not_sent", report.measured.held_back},
            {"retried", figures.retried},
            {"in_warm_up", figures.outside},
            {"failure_share", figures.failure_share()},
            {"causes", figures.causes}};
}

Json tokens_json(const LoadFigures& figures) {
    return {{"prompt", figures.prompt_tokens},
            {"prompt_planned", figures.wanted_prompt_tokens},
            {"cached", figures.cached_tokens},
            {"output", figures.output_tokens},
            {"output_asked", figures.wanted_output_tokens},
            {"calls_with_usage", figures.usage_told}};
}

Json rates_json(const LoadReport& report) {
    const LoadFigures& figures = report.figures;
    return {{"seconds", figures.seconds},
            {"calls_per_second", figures.calls_per_second},
            {"output_tokens_per_second", figures.output_per_second},
            {"prompt_tokens_per_second", figures.prompt_per_second},
            {"interactivity_tokens_per_second", figures.interactivity},
            {"goodput_calls_per_second", figures.goodput},
            {"calls_within_slo", figures.met_slo},
            {"slo_ms",
             {{"ttft", target_ms(report.targets.ttft)},
              {"tpot", target_ms(report.targets.tpot)},
              {"e2e", target_ms(report.targets.e2e)}}}};
}

Json spreads_json(const LoadFigures& figures) {
    Json out = Json::object();
    for (const auto& [measure, spread] : figures.spreads)
        out[std::string(field_of(measure))] = json_of(spread);
    if (figures.itl.count > 0) out["itl_ms"] = json_of(figures.itl);
    return out;
}

Json trust_json(const LoadReport& report) {
    const LoadMeasurements& measured = report.measured;
    const auto counted = [&](TokenCount how) {
        const auto found = report.figures.counted_by.find(how);
        return found == report.figures.counted_by.end() ? 0 : found->second;
    };
    return {{"counted_by",
             {{"usage", counted(TokenCount::usage)},
              {"tokenizer", counted(TokenCount::tokenizer)},
              {"events", counted(TokenCount::events)}}},
            {"pieces", report.figures.pieces},
            {"pieces_of_several_tokens", report.figures.bundles},
            {"first_pieces_of_several_tokens", report.figures.bundled_firsts},
            {"text_bytes_per_token", measured.bytes_per_token},
            {"text_by_tokenizer", measured.exact_text},
            {"template_probed", measured.probe.believed},
            {"template_tokens_per_call", measured.probe.cost.call},
            {"template_tokens_per_message", measured.probe.cost.message},
            {"template_tokens_per_tool_call", measured.probe.cost.tool_step},
            {"tools_refused", measured.probe.tools_refused},
            {"generator_cpu_seconds", measured.loop_cpu.seconds()},
            {"generator_longest_stall_ms", static_cast<double>(measured.longest_stall.ns()) / 1e6},
            {"connections", measured.connections}};
}

/// Of the window's calls: one array per field, all of one length.
Json columns_json(const LoadReport& report) {
    Json out = Json::object();
    for (const char* name : {"play", "session", "call", "outcome", "due_ms"})
        out[name] = Json::array();
    for (const Measure measure : kMeasures)
        out[std::string(field_of(measure))] = Json::array();
    for (const char* name : {"prompt_tokens", "cached_tokens", "output_tokens"})
        out[name] = Json::array();
    for (const CallResult& result : report.measured.results) {
        if (!result.in_window) continue;
        out["play"].push_back(result.play);
        out["session"].push_back(result.session);
        out["call"].push_back(result.call);
        out["outcome"].push_back(word_of(result.outcome));
        out["due_ms"].push_back(
            static_cast<double>((result.due - report.measured.window.begin).ns()) / 1e6);
        for (const Measure measure : kMeasures)
            out[std::string(field_of(measure))].push_back(
                result.finished() ? json_of(measured_ms(result, measure)) : Json(nullptr));
        out["prompt_tokens"].push_back(result.usage.prompt());
        out["cached_tokens"].push_back(result.usage.cached_input);
        out["output_tokens"].push_back(result.output_tokens);
    }
    return out;
}

}  // namespace

std::string_view word_of(CallOutcome outcome) {
    switch (outcome) {
        case CallOutcome::finished:
            return "finished";
        case CallOutcome::failed:
            return "failed";
        case CallOutcome::unfinished:
            return "unfinished";
    }
    return "";
}

Json report_json(const LoadReport& report) {
    return {{"format", "brigada-load"},
            {"version", 1},
            {"run", run_json(report)},
            {"calls", calls_json(report)},
            {"tokens", tokens_json(report.figures)},
            {"rates", rates_json(report)},
            {"latency", spreads_json(report.figures)},
            {"measurement", trust_json(report)},
            {"each_call", columns_json(report)}};
}

}  // namespace brigada
