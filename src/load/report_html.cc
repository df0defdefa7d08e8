// A run as one page with charts: nothing in it is loaded from anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/concat.h"
#include "load/report.h"

namespace brigada {

namespace {

constexpr double kWidth = 640, kHeight = 260, kLeft = 56, kRight = 16, kTop = 12, kBottom = 34;
constexpr size_t kMostPoints = 4'000;  // in one chart: a page stays small

std::string safe(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return out;
}

struct Point {
    double x = 0, y = 0;
};

/// The next of 1, 2, 5, 10, 20, ... from `value` on: where an axis ends or is marked.
double round_up(double value) {
    if (!(value > 0)) return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 5.0})
        if (value <= step * power * (1 + 1e-9)) return step * power;
    return 10 * power;
}

/// From values to places in a chart, with marks on its axes.
class Axes {
  public:
    Axes(double x_max, double y_max) : x_max_(x_max > 0 ? x_max : 1), y_max_(round_up(y_max)) {}

    double x(double value) const { return kLeft + value / x_max_ * (kWidth - kLeft - kRight); }
    double y(double value) const {
        return kHeight - kBottom - value / y_max_ * (kHeight - kTop - kBottom);
    }

    std::string marks(std::string_view x_title, std::string_view y_title) const {
        std::string out;
        const double x_step = round_up(x_max_ / 6), y_step = y_max_ / 4;
        for (double at = 0; at <= x_max_ * 1.0001; at += x_step)
            out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:g}</text>",
                               x(at), kHeight - kBottom + 14, at);
        for (double at = 0; at <= y_max_ * 1.0001; at += y_step)
            out += fmt::format(
                "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}'/>"
                "<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:g}</text>",
                kLeft, kWidth - kRight, y(at), y(at), kLeft - 6, y(at) + 4, at);
        return out + fmt::format(
                         "<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>"
                         "<text x='4' y='10'>{}</text>",
                         kWidth - kRight, kHeight - 4, x_title, y_title);
    }

  private:
    double x_max_, y_max_;
};

std::string chart(std::string_view title, std::string_view drawn) {
    return fmt::format(
        "<figure><figcaption>{}</figcaption><svg viewBox='0 0 {} {}'>{}</svg>"
        "</figure>\n",
        title, kWidth, kHeight, drawn);
}

/// Every n-th, so that about kMostPoints are left.
template <typename T>
std::vector<T> thinned(const std::vector<T>& all) {
    const size_t step = all.size() / kMostPoints + 1;
    std::vector<T> out;
    for (size_t i = 0; i < all.size(); i += step)
        out.push_back(all[i]);
    return out;
}

std::vector<double> values_of(const LoadReport& report, Measure measure) {
    std::vector<double> out;
    for (const CallResult& result : report.measured.results)
        if (result.in_window && result.finished())
            if (const auto value = measured_ms(result, measure)) out.push_back(*value);
    std::ranges::sort(out);
    return out;
}

/// How many of the calls were at most so slow. The slowest hundredth is left of the edge only in
/// the table: it would flatten all else.
std::string distribution(const LoadReport& report, Measure measure, std::string_view title) {
    const std::vector<double> values = values_of(report, measure);
    if (values.empty()) return "";
    const Axes axes(percentile_of(values, 0.99) * 1.05, 100);
    std::string path;
    const size_t step = values.size() / kMostPoints + 1;
    for (size_t i = 0; i < values.size(); i += step) {
        const double share = 100 * static_cast<double>(i + 1) / static_cast<double>(values.size());
        if (axes.x(values[i]) > kWidth - kRight) break;
        path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", axes.x(values[i]),
                            axes.y(share));
    }
    return chart(concat(title, ": share of calls at most so slow"),
                 concat(axes.marks("ms", "%"), "<path d='", path, "'/>"));
}

std::string over_time(const LoadReport& report, Measure measure, std::string_view title) {
    std::vector<Point> points;
    for (const CallResult& result : report.measured.results) {
        const auto value = measured_ms(result, measure);
        if (result.in_window && result.finished() && value)
            points.push_back({(result.due - report.measured.window.begin).seconds(), *value});
    }
    if (points.empty()) return "";
    std::ranges::sort(points, {}, &Point::x);
    const double slowest = std::ranges::max(points, {}, &Point::y).y;
    const Axes axes(std::max(report.figures.seconds, points.back().x), slowest);
    std::string dots;
    for (const Point& point : thinned(points))
        dots += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2'/>", axes.x(point.x),
                            axes.y(point.y));
    return chart(concat(title, " by the time the call was due"),
                 concat(axes.marks("s", "ms"), dots));
}

/// Calls that ended in each of 60 parts of the window.
std::string ends_over_time(const LoadReport& report) {
    constexpr size_t kParts = 60;
    std::array<double, kParts> finished{}, failed{};
    const double part = report.figures.seconds / kParts;
    if (part <= 0) return "";
    for (const CallResult& result : report.measured.results) {
        if (!report.measured.window.holds(result.ended)) continue;
        const double at = (result.ended - report.measured.window.begin).seconds() / part;
        const size_t slot = std::min(static_cast<size_t>(at), kParts - 1);
        if (result.finished()) finished[slot] += 1 / part;
        if (result.outcome == CallOutcome::failed) failed[slot] += 1 / part;
    }
    const Axes axes(report.figures.seconds, std::ranges::max(finished));
    std::string bars;
    const auto bar = [&](size_t slot, double from, double to, std::string_view kind) {
        if (to <= from) return;
        const double x = axes.x(static_cast<double>(slot) * part);
        bars += fmt::format(
            "<rect class='{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' "
            "height='{:.1f}'/>",
            kind, x, axes.y(to), axes.x(part) - kLeft - 1, axes.y(from) - axes.y(to));
    };
    for (size_t slot = 0; slot < kParts; ++slot) {
        bar(slot, 0, finished[slot], "good");
        bar(slot, 0, std::min(failed[slot], std::ranges::max(finished)), "bad");
    }
    return chart("calls per second that ended (red: failed)", concat(axes.marks("s", "1/s"), bars));
}

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1360px;padding:0 1em;"
    "color:#1c2330;background:#fff}"
    "pre{background:#f4f6f9;padding:1em;overflow:auto;font-size:13px}"
    "main{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1em}"
    "figure{margin:0}figcaption{font-weight:600}svg{width:100%}"
    "svg text{font:11px system-ui,sans-serif;fill:#5a6475}svg line{stroke:#dfe4ec}"
    "svg path{fill:none;stroke:#2364aa;stroke-width:2}"
    "circle{fill:#2364aa;fill-opacity:.55}.good{fill:#2364aa}.bad{fill:#c8323c}"
    "@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#14181f}"
    "pre{background:#1d232d}svg line{stroke:#2c3442}}";

}  // namespace

std::string report_html(const LoadReport& report) {
    std::string out =
        concat("<!doctype html><html lang='en'><meta charset='utf-8'><title>", safe(report.model),
               ": load</title><style>", kStyle, "</style>\n<h1>", safe(report.model),
               "</h1>\n<pre>", safe(report_text(report)), "</pre>\n<main>\n");
    out += over_time(report, Measure::ttft, "TTFT");
    out += distribution(report, Measure::ttft, "TTFT");
    out += over_time(report, Measure::tpot, "TPOT");
    out += distribution(report, Measure::tpot, "TPOT");
    out += distribution(report, Measure::e2e, "E2E");
    out += distribution(report, Measure::lateness, "sent late by");
    out += ends_over_time(report);
    return out + "</main></html>\n";
}

}  // namespace brigada
