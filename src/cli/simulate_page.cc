#include "cli/simulate_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "cli/text_table.h"

namespace brigada {

namespace {

using Quantity = std::function<double(const SimReport&)>;

std::string shown(const PolicyRuns& policy, const Quantity& quantity, int digits) {
    std::vector<double> values;
    std::ranges::transform(policy.runs, std::back_inserter(values), quantity);
    const Interval interval = interval_of(values);
    if (values.size() == 1) return fmt::format("{:.{}f}", interval.mean, digits);
    return fmt::format("{:.{}f} ±{:.{}f}", interval.mean, digits, interval.half_width, digits);
}

double mean_utilisation(const SimReport& report) {
    const auto& all = report.utilisation;
    return all.empty() ? 0 : std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
}

std::string count(uint64_t number) {
    return grouped(static_cast<int64_t>(number));
}

void add_times(TextTable& table, std::string_view name, const Percentiles& p, double scale,
               int digits) {
    std::vector<std::string> cells{std::string(name)};
    for (const double value : {p.mean, p.p50, p.p90, p.p95, p.p99, p.max})
        cells.push_back(fmt::format("{:.{}f}", value * scale, digits));
    table.add(cells);
}

std::string times_table(const SimReport& report) {
    TextTable table({{""},
                     {"mean", true},
                     {"p50", true},
                     {"p90", true},
                     {"p95", true},
                     {"p99", true},
                     {"max", true}});
    add_times(table, "first token, s", report.ttft_s, 1, 3);
    add_times(table, "per token after it, ms", report.tpot_s, 1e3, 1);
    add_times(table, "whole answer, s", report.call_s, 1, 2);
    add_times(table, "user turn, tools included, s", report.turn_s, 1, 1);
    return table.text();
}

std::string groups_table(std::string_view title, const std::vector<SimGroup>& groups) {
    if (groups.empty()) return "";
    TextTable table({{std::string(title)},
                     {"calls", true},
                     {"failed", true},
                     {"hits, %", true},
                     {"TTFT p50, s", true},
                     {"p90", true},
                     {"TPOT p50, ms", true},
                     {"answer p90, s", true}});
    for (const SimGroup& group : groups)
        table.add({harmless(group.name), count(group.calls), count(group.failed),
                   fmt::format("{:.1f}", group.hit_rate() * 100),
                   fmt::format("{:.3f}", group.ttft_s.p50), fmt::format("{:.3f}", group.ttft_s.p90),
                   fmt::format("{:.1f}", group.tpot_s.p50 * 1e3),
                   fmt::format("{:.2f}", group.call_s.p90)});
    return "\n" + table.text();
}

std::string misses_table(const SimReport& report) {
    TextTable table({{"why a call found less"}, {"calls", true}, {"tokens lost", true}});
    for (size_t i = 1; i < report.misses.size(); ++i)
        if (report.misses[i].calls > 0)
            table.add({std::string(to_string(static_cast<MissCause>(i))),
                       count(report.misses[i].calls), count(report.misses[i].lost_tokens)});
    return table.empty() ? "" : "\n" + table.text();
}

std::string tiers_text(const SimTierUse& use) {
    const auto gb = [](uint64_t bytes) { return static_cast<double>(bytes) / 1e9; };
    return fmt::format(
        "\nof the prompt tokens found, {} lay in the replicas' own memory, {} in RAM, {} on disk\n"
        "{} loads took {:.3f} s half of the time, {:.3f} s at the 90th percentile; {:.1f} GB came "
        "from RAM, {:.1f} from disk\n"
        "{:.1f} GB went down to RAM, {:.1f} to disk, {:.1f} were dropped\n",
        count(use.own_tokens), count(use.ram_tokens), count(use.disk_tokens), count(use.loads),
        use.load_s.p50, use.load_s.p90, gb(use.bytes_from_ram), gb(use.bytes_from_disk),
        gb(use.bytes_to_ram), gb(use.bytes_to_disk), gb(use.bytes_dropped));
}

std::string transfers_text(const SimTransfers& transfers) {
    return fmt::format(
        "\n{} prompts were read by one replica and answered by another, {} where they were "
        "answered\n"
        "transfers took {:.3f} s half of the time, {:.3f} s at the 90th percentile, {:.3f} s at "
        "most; {:.1f} GB\n"
        "replicas that only read were busy {:.1f} %, the others {:.1f} %\n",
        count(transfers.calls), count(transfers.local_calls), transfers.transfer_s.p50,
        transfers.transfer_s.p90, transfers.transfer_s.max,
        static_cast<double>(transfers.bytes) / 1e9, transfers.readers_busy * 100,
        transfers.others_busy * 100);
}

std::string events_text(const SimReport& report) {
    std::string text;
    if (report.interrupted + report.skipped > 0)
        text +=
            fmt::format("{} calls were interrupted by their users, {} of their turns not sent\n",
                        count(report.interrupted), count(report.skipped));
    if (report.over_limits > 0)
        text += fmt::format("tenants' limits refused a call {} times\n", count(report.over_limits));
    if (report.rollout_s > 0)
        text += fmt::format("the rolling update took {:.0f} s\n", report.rollout_s);
    return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string comparison_page(const std::vector<PolicyRuns>& policies) {
    TextTable table({{"policy"},
                     {"calls", true},
                     {"failed", true},
                     {"hits, %", true},
                     {"TTFT p50, s", true},
                     {"TTFT p90, s", true},
                     {"TPOT p50, ms", true},
                     {"answer p90, s", true},
                     {"good/s", true},
                     {"busy, %", true},
                     {"$", true}});
    for (const PolicyRuns& policy : policies)
        table.add({policy.policy, count(policy.runs.front().calls),
                   count(policy.runs.front().failed),
                   shown(
                       policy, [](auto& r) { return r.hit_rate * 100; }, 1),
                   shown(
                       policy, [](auto& r) { return r.ttft_s.p50; }, 3),
                   shown(
                       policy, [](auto& r) { return r.ttft_s.p90; }, 3),
                   shown(
                       policy, [](auto& r) { return r.tpot_s.p50 * 1e3; }, 1),
                   shown(
                       policy, [](auto& r) { return r.call_s.p90; }, 2),
                   shown(
                       policy, [](auto& r) { return r.goodput; }, 2),
                   shown(
                       policy, [](auto& r) { return mean_utilisation(r) * 100; }, 1),
                   shown(policy, [](auto& r) { return r.dollars; }, 2)});
    return table.text();
}

std::string run_page(const PolicyRuns& policy) {
    const SimReport& report = policy.runs.front();
    const auto [least, most] = std::ranges::minmax(report.utilisation);
    std::string page = fmt::format(
        "{}: {} calls in {:.0f} s, {} failed ({} too long for context or KV), {} tried "
        "again\n\n",
        policy.policy, count(report.calls), report.seconds, count(report.failed),
        count(report.too_large), count(report.retries));
    page += times_table(report);
    page += events_text(report);
    page += fmt::format(
        "\nprompt tokens {}, {:.1f} % found cached; output tokens {}\n"
        "replicas busy {:.1f} to {:.1f} %; KV held by running calls {:.0f} % half of the time, "
        "{:.0f} "
        "% at most\n"
        "evicted tokens {}, of which {} were read again; {} preemptions\n"
        "slowest tenth of calls: {:.1f} tokens/s, first token included; {:.2f} $\n",
        count(report.prompt_tokens), report.hit_rate * 100, count(report.output_tokens),
        least * 100, most * 100, report.kv_held_p50 * 100, report.kv_held_max * 100,
        count(report.evicted_tokens), count(report.reread_tokens), count(report.preemptions),
        report.seconds_per_token.p90 > 0 ? 1 / report.seconds_per_token.p90 : 0, report.dollars);
    if (report.transfers) page += transfers_text(*report.transfers);
    if (report.tiers) page += tiers_text(*report.tiers);
    page += groups_table("place in the session", report.positions);
    page += misses_table(report);
    if (report.tenants.size() > 1) page += groups_table("tenant", report.tenants);
    page += groups_table("model", report.models);
    page += groups_table("class", report.classes);
    page += fmt::format("\ndigest {:016x}\n", report.digest);
    return page;
}

}  // namespace brigada
