// A trace's stats for a terminal: tables, and bars of characters.
#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "trace/trace_stats.h"

namespace brigada {

namespace {

constexpr size_t kBar = 40;  // characters

/// "12,345", "104.6K", "3.4M": numbers of a table, four digits at most.
std::string short_number(double value) {
    const double size = std::abs(value);
    if (size >= 9.9995e8) return fmt::format("{:.1f}G", value / 1e9);
    if (size >= 9.9995e5) return fmt::format("{:.1f}M", value / 1e6);
    if (size >= 9'999.5) return fmt::format("{:.1f}K", value / 1e3);
    if (value == std::floor(value)) return fmt::format("{:.0f}", value);
    return size >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

std::string bar(double share) {
    const auto length =
        static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * double(kBar)));
    std::string out;
    for (size_t i = 0; i < length; ++i)
        out += "█";
    return out;
}

std::string bar_line(std::string_view label, double share, std::string_view value) {
    std::string out = fmt::format("  {:<14}{:>9}  {}", label, value, bar(share));
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
}

std::string age_label(int64_t s) {
    return s < 60 ? concat(s, " s") : s < 3600 ? concat(s / 60, " min") : concat(s / 3600, " h");
}

std::string head(const TraceStats& stats) {
    std::string out = concat(stats.origin, "\n\n", short_number(double(stats.sessions)),
                             " sessions, ", short_number(double(stats.turns)), " turns, ",
                             short_number(double(stats.calls)), " calls");
    if (stats.sub_agents > 0)
        out += concat("; ", stats.sub_agents, " sub-agents with ", stats.sub_agent_calls,
                      " calls, in ", percent(stats.sessions_with_sub_agents), " of the sessions");
    out += concat("\n", short_number(double(stats.prompt_tokens)), " tokens in, ",
                  short_number(double(stats.output_tokens)), " out, blocks of ", stats.block_tokens,
                  "; ", short_number(stats.length.seconds() / 3600), " h\n");
    if (stats.compactions > 0)
        out += concat(stats.compactions, " compactions, ", percent(stats.compaction_rate),
                      " of the calls\n");
    return out;
}

std::string distributions(const TraceStats& stats) {
    std::string out = fmt::format("\n{:<30}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "", "n", "mean",
                                  "p10", "p50", "p90", "p99", "max");
    for (const auto& [name, d] : stats.distributions)
        out += fmt::format(
            "{:<30}{:>8}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n", name, short_number(double(d.count)),
            short_number(d.mean), short_number(d.at(0.1)), short_number(d.at(0.5)),
            short_number(d.at(0.9)), short_number(d.at(0.99)), short_number(d.at(1)));
    return out;
}

std::string reuse(const TraceStats& stats) {
    std::string out =
        "\nprompt tokens found in a session's call before, if none is kept longer than\n";
    for (size_t i = 0; i < kReuseAges_s.size(); ++i)
        out += bar_line(age_label(kReuseAges_s[i]), stats.reuse.by_age[i],
                        percent(stats.reuse.by_age[i]));
    out += bar_line("for ever", stats.reuse.endless, percent(stats.reuse.endless));
    out +=
        concat("found in one endless cache for all sessions: ", percent(stats.shared_reuse), "\n");
    if (stats.reuse.calls_at_index[1] == 0) return out;
    out +=
        concat("\nby position in the session (later tool calls ", percent(stats.reuse.tool_calls),
               ", user calls ", percent(stats.reuse.user_calls), ")\n");
    for (size_t i = 0; i < kReuseIndices.size(); ++i)
        if (stats.reuse.calls_at_index[i] > 0)
            out += bar_line(concat("call ", kReuseIndices[i]), stats.reuse.by_index[i],
                            percent(stats.reuse.by_index[i]));
    return out;
}

std::string by_size(const TraceStats& stats) {
    if (stats.reuse_by_size.empty()) return {};
    std::string out = "\nby size of one cache for all, the session used longest ago going first\n";
    const size_t points = stats.reuse_by_size.size();
    for (size_t i = 1; i <= points; i *= 2) {
        const ReuseAtSize& point = stats.reuse_by_size[i - 1];
        out += bar_line(concat(short_number(double(point.cache_tokens)), " tokens"), point.reuse,
                        percent(point.reuse));
    }
    return out;
}

/// Eight heights of a character.
std::string spark_line(const std::vector<uint64_t>& values) {
    constexpr const char* kHeights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const uint64_t most = values.empty() ? 0 : std::ranges::max(values);
    std::string out;
    for (const uint64_t value : values)
        out += kHeights[most == 0 ? 0 : (value * 8 + most - 1) / most];
    return out;
}

std::string working_sets(const TraceStats& stats) {
    std::string out = "\nworking set: tokens of prompts used within\n";
    for (const WorkingSet& set : stats.working_sets)
        out += fmt::format("  {:<8} mean {}, most {}  |{}|\n",
                           age_label(set.age.ns() / 1'000'000'000), short_number(set.mean),
                           short_number(double(set.most)), spark_line(set.tokens));
    return out;
}

}  // namespace

std::string stats_text(const TraceStats& stats) {
    return head(stats) + distributions(stats) + reuse(stats) + by_size(stats) + working_sets(stats);
}

}  // namespace brigada
