// A trace's stats as one HTML page: charts are SVG, nothing is fetched, nothing runs.
#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "trace/trace_stats.h"

namespace brigada {

namespace {

constexpr double kWidth = 460, kHeight = 180;  // of a chart's field, in pixels

constexpr std::string_view kStyle =
    "body{font:14px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:1000px;padding:0 1rem;"
    "color:#1c2733;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin:2rem 0 .4rem}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.15rem .7rem;"
    "text-align:right;border-bottom:1px solid #e3e8ee}td:first-child,th:first-child{text-align:"
    "left}svg{display:block}.charts{display:flex;flex-wrap:wrap;gap:1.5rem}figure{margin:0}"
    "figcaption{color:#52606d}.line{fill:none;stroke:#2563eb;stroke-width:2}.area{fill:#2563eb22}"
    ".axis{stroke:#9aa5b1}text{font-size:11px;fill:#52606d}";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '&')
            out += "&amp;";
        else
            out += c;
    }
    return out;
}

std::string short_number(double value) {
    const double size = std::abs(value);
    if (size >= 1e9) return fmt::format("{:.1f}G", value / 1e9);
    if (size >= 1e6) return fmt::format("{:.1f}M", value / 1e6);
    if (size >= 1e4) return fmt::format("{:.1f}K", value / 1e3);
    return fmt::format("{:.4g}", value);
}

struct Point {
    double x = 0, y = 0;
};

/// A line over its field, with the ends of both axes said.
std::string chart(std::string_view caption, const std::vector<Point>& points, bool log_x,
                  std::string_view x_unit, bool y_is_share) {
    if (points.size() < 2) return {};
    const auto x_of = [&](double x) { return log_x ? std::log(std::max(x, 1e-3)) : x; };
    const auto [low, high] = std::ranges::minmax(points, {}, &Point::x);
    const double top = y_is_share ? 1 : std::max(1e-9, std::ranges::max(points, {}, &Point::y).y);
    const double span = std::max(1e-9, x_of(high.x) - x_of(low.x));
    std::string line;
    for (const Point& point : points)
        line += fmt::format("{:.1f},{:.1f} ", (x_of(point.x) - x_of(low.x)) / span * kWidth,
                            kHeight - point.y / top * kHeight);
    return fmt::format(
        "<figure><svg width=\"{0}\" height=\"{1}\" viewBox=\"-50 -12 {0} {1}\" role=\"img\">"
        "<polygon class=\"area\" points=\"0,{3} {4}{2},{3}\"/>"
        "<polyline class=\"line\" points=\"{4}\"/>"
        "<path class=\"axis\" d=\"M0 0V{3}H{2}\" fill=\"none\"/>"
        "<text x=\"-6\" y=\"8\" text-anchor=\"end\">{5}</text>"
        "<text x=\"-6\" y=\"{3}\" text-anchor=\"end\">0</text>"
        "<text x=\"0\" y=\"{6}\">{7}</text><text x=\"{2}\" y=\"{6}\" text-anchor=\"end\">{8} {9}"
        "</text></svg><figcaption>{10}</figcaption></figure>\n",
        kWidth + 62, kHeight + 34, kWidth, kHeight, line, y_is_share ? "100 %" : short_number(top),
        kHeight + 15, short_number(low.x), short_number(high.x), x_unit, escaped(caption));
}

/// The distribution function of each quantity.
std::string distribution_charts(const TraceStats& stats) {
    std::string out;
    for (const auto& [name, distribution] : stats.distributions) {
        std::vector<Point> points;
        for (size_t i = 0; i < kGridPercentiles.size(); ++i)
            points.push_back({distribution.quantiles[i], kGridPercentiles[i] / 100});
        const bool is_wide =
            distribution.quantiles.back() > 20 * std::max(1.0, distribution.at(0.5));
        out += chart(concat(name, ": share of values up to"), points, is_wide,
                     is_wide ? "(log)" : "", true);
    }
    return out;
}

std::string reuse_charts(const TraceStats& stats) {
    std::vector<Point> by_age, by_size, by_index;
    for (size_t i = 0; i < kReuseAges_s.size(); ++i)
        by_age.push_back({double(kReuseAges_s[i]), stats.reuse.by_age[i]});
    for (const ReuseAtSize& point : stats.reuse_by_size)
        by_size.push_back({double(point.cache_tokens), point.reuse});
    for (size_t i = 0; i < kReuseIndices.size(); ++i)
        if (stats.reuse.calls_at_index[i] > 0)
            by_index.push_back({double(kReuseIndices[i]) + 1, stats.reuse.by_index[i]});
    std::string out = chart("prompt tokens found, if what was idle longer is dropped", by_age, true,
                            "s (log)", true);
    out += chart("prompt tokens found, by the size of one cache for all sessions", by_size, false,
                 "tokens", true);
    out += chart("prompt tokens found, by number of the call in its session", by_index, true,
                 "(log)", true);
    for (const WorkingSet& set : stats.working_sets) {
        std::vector<Point> points;
        for (size_t i = 0; i < set.tokens.size(); ++i)
            points.push_back({set.step.seconds() * double(i + 1) / 3600, double(set.tokens[i])});
        out += chart(concat("working set: tokens of prompts used within ",
                            short_number(set.age.seconds()), " s"),
                     points, false, "h", false);
    }
    return out;
}

std::string table(const TraceStats& stats) {
    std::string out =
        "<table><tr><th></th><th>n</th><th>mean</th><th>p10</th><th>p50</th><th>p90</th>"
        "<th>p99</th><th>max</th></tr>\n";
    for (const auto& [name, d] : stats.distributions) {
        out += concat("<tr><td>", escaped(name), "</td><td>", d.count, "</td>");
        for (const double value : {d.mean, d.at(0.1), d.at(0.5), d.at(0.9), d.at(0.99), d.at(1)})
            out += concat("<td>", short_number(value), "</td>");
        out += "</tr>\n";
    }
    return out + "</table>\n";
}

}  // namespace

std::string stats_page(const TraceStats& stats) {
    return concat(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>", escaped(stats.origin),
        "</title><style>", kStyle, "</style><h1>", escaped(stats.origin), "</h1><p>",
        stats.sessions, " sessions, ", stats.turns, " turns, ", stats.calls, " calls; ",
        stats.sub_agents, " sub-agents with ", stats.sub_agent_calls, " calls; ",
        short_number(double(stats.prompt_tokens)), " tokens in, ",
        short_number(double(stats.output_tokens)),
        " out. Found in the call before: ", fmt::format("{:.2f}", stats.reuse.endless * 100),
        " % of all prompt tokens; in one endless cache for all: ",
        fmt::format("{:.2f}", stats.shared_reuse * 100), " %.</p><h2>Reuse</h2><div class=charts>",
        reuse_charts(stats), "</div><h2>Distributions</h2>", table(stats), "<div class=charts>",
        distribution_charts(stats), "</div></html>\n");
}

}  // namespace brigada
