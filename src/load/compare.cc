#include "load/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/concat.h"
#include "base/rng.h"

namespace brigada {

namespace {

/// The values of one measure, those of a session together.
using Sessions = std::vector<std::vector<double>>;

struct Statistic {
    const char* name;
    double share;  // below 0: the mean
};

constexpr Statistic kStatistics[] = {{"mean", -1}, {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}};

struct Run {
    std::string name;
    uint64_t sessions = 0;
    std::map<Measure, Sessions> values;
    std::map<std::string, double> rates;
};

Error missing(std::string_view name, std::string_view what) {
    return {Code::invalid_argument,
            concat(name, ": no report of brigada load --json: ", what, " is missing")};
}

/// report[section][field]; null where there is none.
Json told(const Json& report, const char* section, const char* field) {
    const auto found = report.find(section);
    if (found == report.end() || !found->is_object()) return {};
    return found->value(field, Json());
}

double number_told(const Json& report, const char* section, const char* field) {
    const Json value = told(report, section, field);
    return value.is_number() ? value.get<double>() : 0;
}

std::string text_told(const Json& report, const char* section, const char* field) {
    const Json value = told(report, section, field);
    return value.is_string() ? value.get<std::string>() : "";
}

Result<Run> read_run(const Json& report, std::string_view name) {
    if (!report.is_object() || report.value("format", Json()) != "brigada-load")
        return missing(name, "\"format\": \"brigada-load\"");
    if (!report.contains("each_call") || !report["each_call"].is_object() ||
        !report["each_call"].contains("play"))
        return missing(name, "each_call.play");
    Run out{.name = std::string(name), .values = {}, .rates = {}};
    const Json& columns = report["each_call"];
    const Json& plays = columns["play"];
    std::map<uint64_t, size_t> numbers;
    for (const Json& play : plays) {
        if (!play.is_number_unsigned()) return missing(name, "a number in each_call.play");
        numbers.try_emplace(play.get<uint64_t>(), numbers.size());
    }
    out.sessions = numbers.size();
    for (const Measure measure : kMeasures) {
        const std::string field(field_of(measure));
        if (!columns.contains(field) || columns[field].size() != plays.size())
            return missing(name, concat("each_call.", field));
        Sessions& sessions = out.values[measure];
        sessions.resize(numbers.size());
        for (size_t i = 0; i < plays.size(); ++i)
            if (const Json& value = columns[field][i]; value.is_number())
                sessions[numbers[plays[i].get<uint64_t>()]].push_back(value.get<double>());
    }
    for (const char* rate :
         {"calls_per_second", "output_tokens_per_second", "prompt_tokens_per_second",
          "interactivity_tokens_per_second", "goodput_calls_per_second"})
        if (told(report, "rates", rate).is_number())
            out.rates[rate] = number_told(report, "rates", rate);
    if (const double prompt = number_told(report, "tokens", "prompt"); prompt > 0)
        out.rates["cached_share"] = number_told(report, "tokens", "cached") / prompt;
    if (report.contains("calls"))
        out.rates["failure_share"] = number_told(report, "calls", "failure_share");
    return out;
}

/// Reorders `values`.
double value_of(std::vector<double>& values, const Statistic& statistic) {
    if (values.empty()) return 0;
    if (statistic.share < 0) {
        double sum = 0;
        for (const double value : values)
            sum += value;
        return sum / static_cast<double>(values.size());
    }
    const double rank = std::ceil(statistic.share * static_cast<double>(values.size()));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

std::vector<double> all_of(const Sessions& sessions) {
    std::vector<double> out;
    for (const auto& values : sessions)
        out.insert(out.end(), values.begin(), values.end());
    return out;
}

/// As many sessions as there are, drawn with replacement.
void redraw(const Sessions& sessions, Rng& rng, std::vector<double>& out) {
    out.clear();
    for (size_t i = 0; i < sessions.size(); ++i) {
        const auto& drawn = sessions[rng.below(sessions.size())];
        out.insert(out.end(), drawn.begin(), drawn.end());
    }
}

double change_of(double a, double b) {
    return a > 0 ? b / a - 1 : 0;
}

void compare_measure(Measure measure, const Sessions& a, const Sessions& b, uint32_t redraws,
                     Rng& rng, std::vector<ComparedFigure>& out) {
    std::vector<double> from = all_of(a), to = all_of(b);
    if (from.empty() || to.empty()) return;
    const size_t first = out.size();
    for (const Statistic& statistic : kStatistics) {
        ComparedFigure figure{.name = concat(field_of(measure), " ", statistic.name),
                              .a = value_of(from, statistic),
                              .b = value_of(to, statistic),
                              .has_interval = a.size() > 1 && b.size() > 1};
        figure.change = change_of(figure.a, figure.b);
        out.push_back(figure);
    }
    if (!out.back().has_interval) return;
    std::vector<std::vector<double>> changes(std::size(kStatistics));
    for (uint32_t i = 0; i < redraws; ++i) {
        redraw(a, rng, from);
        redraw(b, rng, to);
        if (from.empty() || to.empty()) continue;
        for (size_t s = 0; s < std::size(kStatistics); ++s)
            changes[s].push_back(
                change_of(value_of(from, kStatistics[s]), value_of(to, kStatistics[s])));
    }
    for (size_t s = 0; s < std::size(kStatistics); ++s) {
        std::ranges::sort(changes[s]);
        out[first + s].low = percentile_of(changes[s], 0.025);
        out[first + s].high = percentile_of(changes[s], 0.975);
    }
}

/// One seed is one text: what a run sends, the next one with that seed sends again.
std::string caution_about(const Json& a, const Json& b, const Run& from, const Run& to) {
    constexpr double kNoticeable = 0.05;
    const auto share = [](const Run& run) {
        const auto found = run.rates.find("cached_share");
        return found == run.rates.end() ? 0.0 : found->second;
    };
    const auto differ = [&](const char* field) {
        return told(a, "run", field) != told(b, "run", field);
    };
    const bool is_warmer = std::abs(share(to) - share(from)) > kNoticeable;
    if (!is_warmer || differ("url") || differ("seed")) return "";
    return fmt::format(
        "Both runs sent the same text to one endpoint, and {:.0f} % of A's prompt tokens and "
        "{:.0f} % of B's were found cached: the later run may have found what the earlier one "
        "left there. Give it another --seed.",
        100 * share(from), 100 * share(to));
}

}  // namespace

Result<LoadComparison> compare_reports(const Json& a, const Json& b, uint64_t seed,
                                       uint32_t redraws) {
    TRY(const Run from, read_run(a, "the first file"));
    TRY(const Run to, read_run(b, "the second file"));
    const auto words = [](const Json& report) {
        return concat(text_told(report, "run", "model"), " at ", text_told(report, "run", "url"),
                      ", ", text_told(report, "run", "pace"), ", ",
                      text_told(report, "run", "started"));
    };
    LoadComparison out{.a = words(a),
                       .b = words(b),
                       .a_sessions = from.sessions,
                       .b_sessions = to.sessions,
                       .redraws = redraws,
                       .figures = {},
                       .caution = {}};
    Rng rng(seed);
    for (const Measure measure : kMeasures)
        compare_measure(measure, from.values.at(measure), to.values.at(measure), redraws, rng,
                        out.figures);
    for (const auto& [name, value] : from.rates) {
        const auto found = to.rates.find(name);
        if (found == to.rates.end() || (value == 0 && found->second == 0)) continue;
        out.figures.push_back({.name = name,
                               .a = value,
                               .b = found->second,
                               .change = change_of(value, found->second)});
    }
    out.caution = caution_about(a, b, from, to);
    return out;
}

std::string comparison_text(const LoadComparison& comparison) {
    std::string out = concat("A: ", comparison.a, "\nB: ", comparison.b, "\n\n");
    out +=
        fmt::format("{:<34}{:>12}{:>12}{:>10}   {}\n", "", "A", "B", "change", "95 % of redraws");
    for (const ComparedFigure& figure : comparison.figures) {
        out += fmt::format("{:<34}{:>12.4g}{:>12.4g}{:>+9.1f}%", figure.name, figure.a, figure.b,
                           100 * figure.change);
        if (figure.has_interval)
            out += fmt::format("   {:+.1f} to {:+.1f}%{}", 100 * figure.low, 100 * figure.high,
                               figure.sure() ? "" : "  may be chance");
        out += '\n';
    }
    if (!comparison.caution.empty()) out += concat("\n", comparison.caution, "\n");
    return out + concat("\nIntervals: ", comparison.redraws, " redraws of ", comparison.a_sessions,
                        " and ", comparison.b_sessions,
                        " sessions. Rates have none: they are of one "
                        "run each.\n");
}

Json comparison_json(const LoadComparison& comparison) {
    Json figures = Json::array();
    for (const ComparedFigure& figure : comparison.figures) {
        Json one{
            {"name", figure.name}, {"a", figure.a}, {"b", figure.b}, {"change", figure.change}};
        if (figure.has_interval)
            one.update({{"low", figure.low}, {"high", figure.high}, {"sure", figure.sure()}});
        figures.push_back(std::move(one));
    }
    return {{"a", comparison.a},
            {"b", comparison.b},
            {"sessions", {comparison.a_sessions, comparison.b_sessions}},
            {"figures", figures},
            {"caution", comparison.caution}};
}

}  // namespace brigada
