#include "cli/plan/plan_text.h"

#include <algorithm>
#include <map>

#include "base/concat.h"
#include "cli/text_table.h"
#include "plan/emit/emit.h"
#include "plan/emit/engine_flags.h"

namespace brigada {

namespace {

constexpr size_t kShortList = 8;

std::string seconds(double value) {
    if (!std::isfinite(value) || value > 1e4) return "never";
    if (value < 0.0995) return fmt::format("{:.1f} ms", value * 1000);
    return fmt::format("{:.{}f} s", value, value < 99.95 ? 2 : 0);
}

/// How long something is kept.
std::string kept(double seconds) {
    if (seconds >= 86'400) return "over a day";
    if (seconds < 120) return fmt::format("{:.0f} s", seconds);
    if (seconds < 7'200) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3'600);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

std::string dollars(const PlanOption& option) {
    return option.money ? fmt::format("{:.2f}", option.money->per_hour) : "no price";
}

std::string wanted(const std::optional<double>& target, std::string_view unit) {
    return target ? fmt::format("{:g} {}", *target, unit) : "-";
}

std::string figures_text(const PlanReport& report, size_t width) {
    const PlanOption& plan = *report.chosen;
    const Targets& targets = report.request.targets;
    const FleetFigures& all = plan.normal;
    const FleetFigures& less = plan.degraded;
    const std::string without = plan.spare == 0 ? "" : fmt::format("{} LOST", plan.spare);
    TextTable table({{"AT THE PEAK"}, {"ALL REPLICAS", true}, {without, true}, {"WANTED", true}});
    const auto row = [&](const char* name, const std::string& a, const std::string& b,
                         const std::string& want) {
        table.add({name, a, plan.spare == 0 ? "" : b, want});
    };
    row("TTFT p90", seconds(all.ttft_p90_s), seconds(less.ttft_p90_s),
        wanted(targets.ttft_p90_s, "s"));
    row("TTFT p50", seconds(all.ttft_p50_s), seconds(less.ttft_p50_s), "-");
    row("TPOT", seconds(all.tpot_s), seconds(less.tpot_s), wanted(targets.tpot_s, "s"));
    row("interactivity p90, tokens/s/user", fmt::format("{:.1f}", all.interactivity_p90),
        fmt::format("{:.1f}", less.interactivity_p90), wanted(targets.interactivity_p90, ""));
    row("task p90", seconds(all.task_p90_s), seconds(less.task_p90_s),
        wanted(targets.task_p90_s, "s"));
    row("calls in flight", fmt::format("{:.1f}", all.running), fmt::format("{:.1f}", less.running),
        "-");
    row("prompt tokens found cached", percent(all.hit_rate), percent(less.hit_rate), "-");
    row("idle KV stays", kept(all.eviction_age_s), kept(less.eviction_age_s), "-");
    row("time spent reading prompts", percent(all.read_busy), percent(less.read_busy), "-");
    return table.text(width);
}

/// Of all prompt tokens.
double loaded_share(const FleetFigures& form) {
    const PromptReading& loaded = form.readings.loaded;
    return loaded.prompt > 0 ? loaded.share * (loaded.prompt - loaded.uncached) / loaded.prompt : 0;
}

double loaded_share(const SimReport& sim) {
    const uint64_t loaded = sim.tiers->ram_tokens + sim.tiers->disk_tokens;
    return sim.prompt_tokens > 0
               ? static_cast<double>(loaded) / static_cast<double>(sim.prompt_tokens)
               : 0;
}

/// Said aloud where the arithmetic chose what the simulation refuses.
std::string not_borne_out(const std::vector<MissedTarget>& misses) {
    if (misses.empty()) return "";
    const MissedTarget& worst = misses.front();
    return fmt::format(
        "THE SIMULATION DOES NOT BEAR THIS PLAN OUT: {} is missed x {:.1f}. It begins cold, "
        "with all people at once; plan for more people or with a larger --spare until it holds.\n",
        worst.target, worst.factor);
}

/// The same quantities of both, for as many people.
std::string verification_text(const PlanReport& report, size_t width) {
    const FleetFigures& form = report.chosen->normal;
    const Verification& verification = *report.verification;
    const SimReport& sim = verification.planned.report;
    TextTable table({{"ALL REPLICAS, AT THE PEAK"}, {"CLOSED FORM", true}, {"SIMULATED", true}});
    table.add({"TTFT p50", seconds(form.ttft_p50_s), seconds(sim.ttft_s.p50)});
    table.add({"TTFT p90", seconds(form.ttft_p90_s), seconds(sim.ttft_s.p90)});
    table.add({"TTFT p99", seconds(form.ttft_p99_s), seconds(sim.ttft_s.p99)});
    table.add({"TPOT", seconds(form.tpot_s), seconds(sim.tpot_s.mean)});
    table.add({"call, mean", seconds(form.call_s), seconds(sim.call_s.mean)});
    table.add({"call p90", seconds(form.call_p90_s), seconds(sim.call_s.p90)});
    table.add({"task p90", seconds(form.task_p90_s), seconds(sim.turn_s.p90)});
    table.add({"prompt tokens found cached", percent(form.hit_rate), percent(sim.hit_rate)});
    if (sim.tiers)
        table.add(
            {"loaded from RAM or disk", percent(loaded_share(form)), percent(loaded_share(sim))});
    std::string out = table.text(width);
    out +=
        fmt::format("simulated: {} calls of {:.0f} people in {:.1f} h, {} failed ({} too long); ",
                    grouped(static_cast<int64_t>(sim.calls)), verification.planned.people,
                    sim.seconds / 3600, sim.failed, sim.too_large);
    out += verification.first.empty()
               ? fmt::format("it holds {:.0f} people, and nothing gave way\n", verification.people)
               : fmt::format("it holds up to {:.0f} people; then the first to give way is {}\n",
                             verification.people, verification.first);
    return out + not_borne_out(verification.planned.misses);
}

std::string settings_text(const PlanReport& report) {
    const PlanOption& plan = *report.chosen;
    const EngineFlags flags = flags_of(report.request, plan);
    std::string out = fmt::format(
        "each replica: KV for {} tokens in {} blocks of {}, max-num-seqs {}, "
        "max-num-batched-tokens {}\n",
        grouped(static_cast<int64_t>(flags.kv_tokens)),
        grouped(static_cast<int64_t>(plan.situation.memory.blocks)),
        plan.situation.memory.kv_size.block_tokens, flags.max_num_seqs, flags.step_tokens);
    if (plan.money)
        out += fmt::format(
            "money: {:.2f} $/h ({:.2f} to {:.2f} on the market), {} $ a month, {:.2f} $ per "
            "million output tokens; at most {:.1f} kW\n",
            plan.money->per_hour, plan.money->per_hour_low, plan.money->per_hour_high,
            grouped(std::llround(plan.money->per_month)), plan.money->per_million_output,
            plan.money->kilowatts);
    if (const Line* gateways = report.page.find("gateways"))
        out += fmt::format("front door: {:.0f} gateway{}\n", gateways->value,
                           gateways->value == 1 ? "" : "s");
    for (const std::string& assumed : plan.situation.deployment.model.assumed)
        out += concat("assumed of the model: ", harmless(assumed), "\n");
    return out;
}

std::string candidates_text(const PlanReport& report, bool everything, size_t width) {
    TextTable table({{"CANDIDATE"},
                     {"REPLICAS", true},
                     {"GPUS", true},
                     {"$/H", true},
                     {"TTFT P90", true},
                     {"TPOT", true},
                     {"CACHED", true},
                     {"VERDICT"}});
    size_t shown_rows = 0;
    const auto add = [&](const PlanOption& option, const std::string& verdict) {
        if (!everything && ++shown_rows > kShortList) return;
        table.add({name_of(option.candidate), concat(option.replicas),
                   concat(option.accelerators()), dollars(option),
                   seconds(option.degraded.ttft_p90_s), seconds(option.degraded.tpot_s),
                   percent(option.degraded.hit_rate), verdict});
    };
    for (const PlanOption& option : report.result.met)
        add(option, "meets it");
    for (const PlanOption& option : report.result.missed) {
        std::string by;
        for (const MissedTarget& miss : option.misses)
            by += fmt::format("{}{} x {:.1f}", by.empty() ? "" : ", ", miss.target, miss.factor);
        add(option, by.empty() ? "saturated" : by);
    }
    return table.text(width);
}

/// One line for each reason, with how many it rules out.
std::string rejected_text(const PlanReport& report, bool everything) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const Rejected& one : report.result.rejected)
        by_reason[one.reason].push_back(name_of(one.candidate));
    std::string out;
    size_t lines = 0;
    for (const auto& [reason, names] : by_reason) {
        if (!everything && ++lines > kShortList) break;
        out += concat("  ", names.front(),
                      names.size() > 1 ? concat(" and ", names.size() - 1, " more") : "", ": ",
                      reason, "\n");
    }
    if (!everything && by_reason.size() > kShortList)
        out += concat("  and ", by_reason.size() - kShortList, " more reasons; --all shows them\n");
    return out;
}

std::string scenarios_text(const PlanReport& report, size_t width) {
    TextTable table({{"WHEN"},
                     {"READ", true},
                     {"TTFT P90", true},
                     {"TPOT", true},
                     {"RECOVERY", true},
                     {"VERDICT"}});
    for (const Scenario& one : report.scenarios) {
        std::string verdict = one.collapses() ? "collapses" : one.misses.empty() ? "holds" : "";
        if (verdict.empty())
            for (const MissedTarget& miss : one.misses)
                verdict += fmt::format("{}{} x {:.1f}", verdict.empty() ? "misses " : ", ",
                                       miss.target, miss.factor);
        table.add({one.name, fmt::format("{:.1f} x", one.prefill), seconds(one.figures.ttft_p90_s),
                   seconds(one.figures.tpot_s), one.recovery_s > 0 ? seconds(one.recovery_s) : "-",
                   verdict});
    }
    return table.text(width);
}

std::string alarms_text(const Targets& targets) {
    std::string out = "Add hardware when one of these holds for five minutes:\n";
    for (const Alarm& alarm : alarms_of(targets))
        out += concat("  ", alarm.what, "\n");
    return out;
}

}  // namespace

std::string plan_text(const PlanReport& report, bool everything, size_t width) {
    // Why there is none is the command's error.
    std::string out =
        concat(harmless(report.chosen ? headline(report) : asked_text(report) + ": no plan"), "\n");
    out += concat("profile: ", report.request.workload.source, "\n\n");
    if (report.chosen) {
        out += figures_text(report, width) + "\n" + settings_text(report) + "\n";
        out += fmt::format("It holds up to {:.0f} people; then the first to give way is {}.\n\n",
                           report.breaking.people, report.breaking.first);
        if (report.verification) out += verification_text(report, width) + "\n";
        out += scenarios_text(report, width) + "\n";
    }
    if (!report.result.met.empty() || !report.result.missed.empty())
        out += candidates_text(report, everything, width);
    if (!report.result.rejected.empty())
        out += concat("\nCan't be:\n", rejected_text(report, everything));
    if (report.chosen) out += "\n" + alarms_text(report.request.targets);
    return out;
}

std::string fleets_text(const std::vector<CarriedFleet>& fleets, size_t width) {
    TextTable table({{"FLEET"},
                     {"LAYOUT"},
                     {"PEOPLE", true},
                     {"TOKENS/S", true},
                     {"$/H", true},
                     {"$ A PERSON AND MONTH", true}});
    for (const CarriedFleet& fleet : fleets) {
        const auto row = [&](const std::string& name, const std::string& layout, double people,
                             double tokens, double cost) {
            table.add({name, layout, fmt::format("{:.0f}", people), fmt::format("{:.0f}", tokens),
                       fmt::format("{:.2f}", cost),
                       people > 0 ? fmt::format("{:.0f}", cost * kHoursPerMonth / people) : "-"});
        };
        const bool is_mixed = fleet.parts.size() > 1;
        for (const CarriedPart& part : fleet.parts)
            row(is_mixed ? concat("  ", part.part.count, " x ", part.part.accelerator.name)
                         : fleet.fleet.name,
                part.layout, part.people, part.output_tokens_per_s, part.dollars_per_hour);
        if (is_mixed)
            row(fleet.fleet.name, "together", fleet.people, fleet.output_tokens_per_s,
                fleet.dollars_per_hour);
    }
    return table.text(width);
}

}  // namespace brigada
