#include "load/figures.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace brigada {

namespace {

double ms(Duration duration) {
    return static_cast<double>(duration.ns()) / 1e6;
}

std::optional<double> ms(std::optional<Duration> duration) {
    if (!duration) return {};
    return ms(*duration);
}

void count_tokens(const CallResult& result, LoadFigures& out) {
    out.prompt_tokens += static_cast<uint64_t>(result.usage.prompt());
    out.cached_tokens += static_cast<uint64_t>(result.usage.cached_input);
    out.output_tokens += result.output_tokens;
    out.wanted_output_tokens += result.wanted_output;
    out.usage_told += result.usage_told;
    if (result.usage_told) out.wanted_prompt_tokens += result.wanted_prompt;
    ++out.counted_by[result.counted_by];
    out.pieces += result.pieces;
    out.bundles += result.bundles;
    out.bundled_firsts += result.first_tokens > 1;
}

void count(const CallResult& result, const SloTargets& targets, LoadFigures& out) {
    if (!result.in_window) {
        ++out.outside;
        return;
    }
    ++out.sent;
    out.retried += result.attempts > 1;
    switch (result.outcome) {
        case CallOutcome::failed:
            ++out.failed;
            ++out.causes[result.cause];
            break;
        case CallOutcome::unfinished:
            ++out.unfinished;
            break;
        case CallOutcome::finished:
            ++out.finished;
            out.met_slo += meets(result, targets);
            count_tokens(result, out);
            break;
    }
}

void count_inside(const CallResult& result, LoadWindow window, const SloTargets& targets,
                  LoadFigures& out) {
    out.output_inside += result.window_tokens;
    if (window.holds(result.first_token))
        out.prompt_inside += static_cast<uint64_t>(result.usage.prompt());
    if (!result.finished() || !window.holds(result.ended)) return;
    ++out.ended_inside;
    out.met_inside += meets(result, targets);
}

double per_second(uint64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

double percentile_of(std::span<const double> sorted, double share) {
    if (sorted.empty()) return 0;
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

Spread spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    double sum = 0;
    for (const double value : values)
        sum += value;
    return {.count = values.size(),
            .mean = sum / static_cast<double>(values.size()),
            .p50 = percentile_of(values, 0.5),
            .p90 = percentile_of(values, 0.9),
            .p95 = percentile_of(values, 0.95),
            .p99 = percentile_of(values, 0.99),
            .max = values.back()};
}

Spread spread_of_ms(const LogHistogram& histogram) {
    return {.count = histogram.count(),
            .mean = ms(histogram.mean()),
            .p50 = ms(histogram.percentile(0.5)),
            .p90 = ms(histogram.percentile(0.9)),
            .p95 = ms(histogram.percentile(0.95)),
            .p99 = ms(histogram.percentile(0.99)),
            .max = ms(histogram.max())};
}

std::string_view field_of(Measure measure) {
    switch (measure) {
        case Measure::ttft:
            return "ttft_ms";
        case Measure::first_byte:
            return "first_byte_ms";
        case Measure::tpot:
            return "tpot_ms";
        case Measure::e2e:
            return "e2e_ms";
        case Measure::per_token:
            return "per_token_ms";
        case Measure::lateness:
            return "lateness_ms";
    }
    return "";
}

std::optional<double> measured_ms(const CallResult& result, Measure measure) {
    switch (measure) {
        case Measure::ttft:
            return ms(result.ttft());
        case Measure::first_byte:
            return ms(result.time_to_first_byte());
        case Measure::tpot:
            return ms(result.tpot());
        case Measure::e2e:
            return ms(result.e2e());
        case Measure::per_token:
            if (result.output_tokens == 0 || !result.e2e()) return {};
            return ms(*result.e2e()) / result.output_tokens;
        case Measure::lateness:
            return ms(result.lateness());
    }
    return {};
}

bool meets(const CallResult& result, const SloTargets& targets) {
    const auto within = [](std::optional<Duration> seen, const std::optional<Duration>& target) {
        return !target || !seen || *seen <= *target;
    };
    if (targets.ttft && !result.ttft()) return false;
    return result.finished() && within(result.ttft(), targets.ttft) &&
           within(result.tpot(), targets.tpot) && within(result.e2e(), targets.e2e);
}

LoadFigures figures_of(std::span<const CallResult> results, const LogHistogram& gaps,
                       LoadWindow window, const SloTargets& targets) {
    LoadFigures out;
    out.seconds = window.length().seconds();
    std::map<Measure, std::vector<double>> values;
    for (const CallResult& result : results) {
        count(result, targets, out);
        count_inside(result, window, targets, out);
        if (!result.in_window || !result.finished()) continue;
        for (const Measure measure : kMeasures)
            if (const auto value = measured_ms(result, measure)) values[measure].push_back(*value);
    }
    for (auto& [measure, all] : values)
        out.spreads[measure] = spread_of(std::move(all));
    out.itl = spread_of_ms(gaps);
    out.calls_per_second = per_second(out.ended_inside, out.seconds);
    out.output_per_second = per_second(out.output_inside, out.seconds);
    out.prompt_per_second = per_second(out.prompt_inside, out.seconds);
    out.goodput = per_second(out.met_inside, out.seconds);
    if (const auto found = out.spreads.find(Measure::per_token); found != out.spreads.end())
        out.interactivity = found->second.p90 > 0 ? 1'000 / found->second.p90 : 0;
    return out;
}

}  // namespace brigada
