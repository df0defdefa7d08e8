// The page of text that ends a run.
#include <fmt/format.h>

#include <cmath>

#include "base/concat.h"
#include "load/report.h"

namespace brigada {

namespace {

/// "1,234,567".
std::string grouped(uint64_t number) {
    std::string out = std::to_string(number);
    for (size_t at = out.size(); at > 3;)
        out.insert(at -= 3, ",");
    return out;
}

/// Three digits or more, whatever the size.
std::string short_number(double value) {
    if (value >= 1'000) return grouped(static_cast<uint64_t>(std::llround(value)));
    return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

std::string percent(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

std::string line(std::string_view title, std::string_view text) {
    return fmt::format("{:<15}{}\n", title, text);
}

std::string spread_line(std::string_view title, const Spread& spread) {
    if (spread.count == 0) return "";
    std::string out = fmt::format("{:<22}", title);
    for (const double value :
         {spread.mean, spread.p50, spread.p90, spread.p95, spread.p99, spread.max})
        out += fmt::format("{:>10}", short_number(value));
    return out + "\n";
}

std::string heading(const LoadReport& report) {
    return concat(report.model, " at ", report.url, " (", report.api, ")\n", report.workload, "; ",
                  report.pace, "\n", fmt::format("{:.1f} s measured", report.figures.seconds),
                  report.warm_up > Duration()
                      ? fmt::format(" after {:.1f} s of warm-up", report.warm_up.seconds())
                      : "",
                  report.measured.interrupted ? ", interrupted" : "", "\n\n");
}

std::string calls(const LoadReport& report) {
    const LoadFigures& figures = report.figures;
    std::string out = line(
        "calls", fmt::format("{} finished, {} failed, {} unfinished", grouped(figures.finished),
                             grouped(figures.failed), grouped(figures.unfinished)));
    for (const auto& [cause, count] : figures.causes) {
        const auto example = report.measured.examples.find(cause);
        const bool has_words =
            example != report.measured.examples.end() && !example->second.empty();
        out += line("", concat(count, " x ", cause, has_words ? ": " : "",
                               has_words ? example->second.substr(0, 160) : ""));
    }
    if (report.measured.held_back > 0)
        out += line("", concat(grouped(report.measured.held_back),
                               " more were due and not sent: too many were under way"));
    if (figures.retried > 0)
        out += line("", concat(grouped(figures.retried), " needed more than one attempt"));
    return out;
}

std::string tokens(const LoadFigures& figures) {
    if (figures.finished == 0) return "";
    std::string out;
    if (figures.usage_told > 0) {
        const auto wanted = static_cast<double>(figures.wanted_prompt_tokens);
        const auto prompt = static_cast<double>(figures.prompt_tokens);
        out +=
            line("prompt tokens",
                 fmt::format("{}, planned {} ({:+.1f} %); cached {} ({})",
                             grouped(figures.prompt_tokens), grouped(figures.wanted_prompt_tokens),
                             wanted > 0 ? 100 * (prompt / wanted - 1) : 0,
                             grouped(figures.cached_tokens),
                             percent(static_cast<double>(figures.cached_tokens), prompt)));
    }
    out += line("output tokens", concat(grouped(figures.output_tokens), ", asked for ",
                                        grouped(figures.wanted_output_tokens)));
    out += line("rates", fmt::format("{} calls/s, {} output tokens/s, {} prompt tokens/s",
                                     short_number(figures.calls_per_second),
                                     short_number(figures.output_per_second),
                                     short_number(figures.prompt_per_second)));
    if (figures.interactivity > 0)
        out += line("interactivity", fmt::format("{} tokens/s: nine of ten calls took no longer "
                                                 "per output token, waiting included",
                                                 short_number(figures.interactivity)));
    return out;
}

std::string goodput(const LoadReport& report) {
    if (!report.targets.any()) return "";
    std::string targets;
    const auto add = [&](std::string_view name, const std::optional<Duration>& target) {
        if (target)
            targets += fmt::format("{}{} {} ms", targets.empty() ? "" : ", ", name,
                                   short_number(static_cast<double>(target->ns()) / 1e6));
    };
    add("TTFT", report.targets.ttft);
    add("TPOT", report.targets.tpot);
    add("E2E", report.targets.e2e);
    const LoadFigures& figures = report.figures;
    return line("goodput",
                fmt::format("{} calls/s within {}; {} of those that ended",
                            short_number(figures.goodput), targets,
                            percent(static_cast<double>(figures.met_slo),
                                    static_cast<double>(figures.finished + figures.failed))));
}

std::string spreads(const LoadFigures& figures) {
    std::string out = fmt::format("\n{:<22}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "ms", "mean",
                                  "p50", "p90", "p95", "p99", "max");
    const auto add = [&](std::string_view title, Measure measure) {
        const auto found = figures.spreads.find(measure);
        if (found != figures.spreads.end()) out += spread_line(title, found->second);
    };
    add("TTFT", Measure::ttft);
    add("first byte", Measure::first_byte);
    out += spread_line("ITL, per token", figures.itl);
    add("TPOT", Measure::tpot);
    add("E2E", Measure::e2e);
    add("E2E per output token", Measure::per_token);
    add("sent late by", Measure::lateness);
    return out;
}

std::string how_counted(const LoadFigures& figures) {
    std::string out;
    const auto add = [&](TokenCount how, std::string_view words) {
        const auto found = figures.counted_by.find(how);
        if (found != figures.counted_by.end())
            out += concat(out.empty() ? "" : "; ", grouped(found->second), " by ", words);
    };
    add(TokenCount::usage, "the server's usage");
    add(TokenCount::tokenizer, "the tokenizer");
    add(TokenCount::events, "events, which may hold several tokens each");
    return out;
}

std::string trust(const LoadReport& report) {
    const LoadFigures& figures = report.figures;
    const LoadMeasurements& measured = report.measured;
    std::string out = "\nhow it was measured\n";
    if (figures.finished > 0) {
        out += line("  tokens", how_counted(figures));
        out += line("  pieces",
                    concat(percent(static_cast<double>(figures.bundles),
                                   static_cast<double>(figures.pieces)),
                           " of ", grouped(figures.pieces),
                           " arrivals held several tokens, each of which counts; first ones in ",
                           grouped(figures.bundled_firsts), " calls"));
    }
    if (measured.probe.tokenizer_differs)
        out += line("  tokenizer", "is not the endpoint's: lengths are estimated instead");
    out += line("  text", measured.exact_text
                              ? std::string("counted by the model's tokenizer")
                              : fmt::format("{:.2f} bytes per token{}", measured.bytes_per_token,
                                            measured.probe.believed ? ", measured at the endpoint"
                                                                    : ", estimated"));
    if (measured.probe.believed)
        out += line("  template", fmt::format("{:.1f} tokens per call, {:.1f} per message, {:.1f} "
                                              "per tool call",
                                              measured.probe.cost.call, measured.probe.cost.message,
                                              measured.probe.cost.tool_step));
    if (measured.probe.tools_refused)
        out += line("  tools", concat("refused, so results were sent as the user's words: ",
                                      measured.probe.tools_error.substr(0, 160)));
    const auto calls = static_cast<double>(measured.results.size());
    out += line(
        "  generator",
        fmt::format(
            "{} connections; {} us of CPU per call, {} of one core; longest stall "
            "{} ms",
            measured.connections,
            short_number(calls > 0 ? static_cast<double>(measured.loop_cpu.ns()) / 1e3 / calls : 0),
            percent(measured.loop_cpu.seconds(), figures.seconds + report.warm_up.seconds()),
            short_number(static_cast<double>(measured.longest_stall.ns()) / 1e6)));
    return out;
}

}  // namespace

std::string report_text(const LoadReport& report) {
    std::string out = heading(report) + calls(report) + tokens(report.figures) + goodput(report);
    if (report.figures.finished > 0) out += spreads(report.figures);
    return out + trust(report);
}

}  // namespace brigada
