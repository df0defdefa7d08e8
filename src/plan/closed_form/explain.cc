#include "plan/closed_form/explain.h"

#include <cmath>

#include "base/concat.h"
#include "plan/closed_form/answer_time.h"
#include "plan/closed_form/front_door.h"
#include "plan/closed_form/residency.h"
#include "plan/closed_form/solve.h"

namespace brigada {

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string fan_out_numbers(const Workload& workload) {
    std::string out;
    for (const FanOut& fan : workload.fan_out)
        out += fmt::format("{}(1 + {:g} x {:g})", out.empty() ? "" : " x ", fan.share, fan.extra);
    return out.empty() ? "1" : out;
}

std::string fan_out_formula(const Workload& workload) {
    std::string out;
    for (const FanOut& fan : workload.fan_out)
        out += concat(out.empty() ? "" : " x ", "(1 + share with ", fan.name, " x how many)");
    return out.empty() ? "no sub-agents, no sessions side by side" : out;
}

double price_of(const PlanOption& option) {
    return option.money->per_hour / option.accelerators();
}

void explain_kind(PlanPage& page, std::string name, std::string formula,
                  const PromptReading& reading) {
    page.add({.name = std::move(name),
              .formula = std::move(formula),
              .numbers = concat("each reads ", shown(reading.uncached), " of ",
                                shown(reading.prompt), " tokens"),
              .value = reading.share,
              .unit = "of calls"});
}

std::string sum_of(const Readings& readings) {
    std::string out;
    for (const PromptReading* reading : readings.all())
        out += fmt::format("{}{:.4g} x {:.0f}", out.empty() ? "" : " + ", reading->share,
                           reading->uncached);
    return out;
}

}  // namespace

void explain_demand(PlanPage& page, const Workload& workload, double people,
                    const FleetFigures& figures) {
    page.section("Who asks");
    page.add({.name = "people at work",
              .formula = "at the same time",
              .numbers = shown(people),
              .value = people,
              .unit = "people"});
    const double factor = page.add({.name = "amplification",
                                    .formula = fan_out_formula(workload),
                                    .numbers = fan_out_numbers(workload),
                                    .value = amplification(workload),
                                    .unit = "x",
                                    .source = workload.source});
    const double sessions = page.add({.name = "sessions at work",
                                      .formula = "people x amplification",
                                      .numbers = concat(shown(people), " x ", shown(factor)),
                                      .value = people * factor,
                                      .unit = "sessions"});
    page.add({.name = "think time",
              .formula = "mean of min(gap, 30 minutes) / peak factor",
              .numbers = shown(figures.think_s),
              .value = figures.think_s,
              .unit = "s",
              .source = workload.source});
    const double calls =
        page.add({.name = "calls of the fleet",
                  .formula = "sessions / (think time + answer time)",
                  .numbers = concat(shown(sessions), " / (", shown(figures.think_s), " + ",
                                    shown(figures.call_s), ")"),
                  .value = sessions / (figures.think_s + figures.call_s),
                  .unit = "calls/s"});
    page.add({.name = "calls in flight",
              .formula = "calls/s x answer time (Little's law)",
              .numbers = concat(shown(calls), " x ", shown(figures.call_s)),
              .value = calls * figures.call_s,
              .unit = "sequences"});
}

void explain_duty(PlanPage& page, const Workload& workload, double tokens_per_s, double answer_s) {
    page.section("Duty: the share of a session in which the fleet works for it");
    const double calls = workload.calls_per_session;
    const double decode =
        page.add({.name = "decoding in a session",
                  .formula = "calls x output tokens / tokens/s",
                  .numbers = concat(shown(calls), " x ", shown(workload.output_tokens), " / ",
                                    shown(tokens_per_s)),
                  .value = calls * workload.output_tokens / tokens_per_s,
                  .unit = "s",
                  .source = workload.source});
    page.add({.name = "duty of decoding",
              .formula = "decoding / session",
              .numbers = concat(shown(decode), " / ", shown(workload.session_s)),
              .value = decode / workload.session_s,
              .unit = "of the time"});
    const double beside =
        page.add({.name = "reading and waiting in a session",
                  .formula = "calls x answer time - decoding",
                  .numbers = concat(shown(calls), " x ", shown(answer_s), " - ", shown(decode)),
                  .value = calls * answer_s - decode,
                  .unit = "s"});
    page.add({.name = "duty",
              .formula = "(decoding + reading and waiting) / session",
              .numbers = concat("(", shown(decode), " + ", shown(beside), ") / ",
                                shown(workload.session_s)),
              .value = (decode + beside) / workload.session_s,
              .unit = "of the time"});
    page.add({.name = "calls of one person",
              .formula = "calls / session",
              .numbers = concat(shown(calls), " / ", shown(workload.session_s)),
              .value = calls / workload.session_s,
              .unit = "calls/s"});
}

void explain_reuse(PlanPage& page, const Situation& situation, const FleetFigures& figures) {
    const Workload& workload = situation.workload;
    page.section("What is found of a prompt");
    page.add({.name = "age of eviction",
              .formula = "the age at which KV of sessions idle for less fills the room",
              .numbers = concat(shown(figures.sequences / situation.replicas), " sessions of ",
                                shown(figures.session_tokens - workload.shared_tokens),
                                " tokens, and ", shown(workload.shared_tokens),
                                " that they share, in ", shown(kv_room_tokens(situation))),
              .value = figures.eviction_age_s,
              .unit = "s",
              .source = "a day: nothing is evicted; gaps from the profile"});
    if (situation.tiers.any())
        page.add({.name = "age of eviction from the tiers",
                  .formula = "the same, with the room of RAM and disk",
                  .numbers = fmt::format("{:.0f} GiB of RAM, {:.0f} GiB of disk an accelerator",
                                         situation.tiers.ram_bytes / kGiB,
                                         situation.tiers.disk_bytes / kGiB),
                  .value = figures.tier_age_s,
                  .unit = "s"});
    const Readings& readings = figures.readings;
    page.add({.name = "first calls, compactions and branches",
              .formula = "((1 - reuse) x prompt - new) / (what they read - new)",
              .numbers = fmt::format("((1 - {:g}) x {:.0f} - {:.0f}) / ({:.0f} - {:.0f})",
                                     workload.reuse, workload.prompt_tokens, workload.new_tokens,
                                     fresh_tokens(workload), workload.new_tokens),
              .value = fresh_share(workload),
              .unit = "of calls",
              .source = workload.source});
    explain_kind(page, "calls that find their prefix", "the others, gap within the age of eviction",
                 readings.found);
    explain_kind(page, "calls that load it from a tier", "gap within the tiers' age",
                 readings.loaded);
    explain_kind(page, "calls whose prefix is gone", "the rest", readings.evicted);
    page.add({.name = "tokens to read for each call",
              .formula = "sum of share x tokens",
              .numbers = sum_of(readings),
              .value = figures.uncached_per_call,
              .unit = "tokens"});
    page.add({.name = "hit rate",
              .formula = "1 - tokens to read / prompt",
              .numbers = concat("1 - ", shown(figures.uncached_per_call), " / ",
                                shown(workload.prompt_tokens)),
              .value = 1 - figures.uncached_per_call / workload.prompt_tokens,
              .unit = "of prompt tokens"});
}

void explain_speed(PlanPage& page, const Situation& situation, const FleetFigures& figures) {
    const Workload& workload = situation.workload;
    const double context = workload.prompt_tokens + workload.output_tokens / 2;
    page.section("Speed of one replica");
    page.add({.name = "a step that decodes",
              .formula = "max(compute, weights) + KV + collectives + overhead",
              .numbers =
                  concat(shown(figures.decode_batch), " sequences of ", shown(context), " tokens"),
              .value = decode_step(situation.cost, figures.decode_batch, context) * 1000,
              .unit = "ms",
              .source = fmt::format("datasheet, MFU {:.2f}, MBU {:.2f}, {:.1f} ms a step: {}",
                                    situation.fit.mfu, situation.fit.mbu,
                                    situation.fit.step_s * 1000, situation.fit.source)});
    page.add({.name = "share of the time in which prompts are read",
              .formula = "calls/s of a replica x seconds of steps with a slice of a prompt",
              .numbers = concat(shown(figures.calls_per_s / situation.replicas), " calls/s"),
              .value = figures.read_busy,
              .unit = "of the time"});
    page.add({.name = "TPOT",
              .formula = "1 / (steps with a slice + steps without, for each second)",
              .numbers = concat(shown(figures.tpot_s * 1000), " ms"),
              .value = figures.tpot_s * 1000,
              .unit = "ms"});
    page.add({.name = "waiting for others' prompts",
              .formula = "calls/s x E[reading^2] / (2 (1 - busy)), Pollaczek-Khinchine",
              .numbers = concat(shown(figures.wait_s), " s"),
              .value = figures.wait_s,
              .unit = "s"});
    const double read = page.add({.name = "reading a prompt",
                                  .formula = "mean over the kinds of calls above",
                                  .numbers = concat(shown(figures.ttft_s - figures.wait_s), " s"),
                                  .value = figures.ttft_s - figures.wait_s,
                                  .unit = "s"});
    page.add({.name = "TTFT, mean",
              .formula = "waiting + reading",
              .numbers = concat(shown(figures.wait_s), " + ", shown(read)),
              .value = figures.wait_s + read,
              .unit = "s"});
    page.add({.name = "answer time, mean",
              .formula = "TTFT + (output - 1) x TPOT",
              .numbers = fmt::format("{:.4g} + ({:.0f} - 1) x {:.4g}", figures.ttft_s,
                                     workload.output_tokens, figures.tpot_s),
              .value = figures.ttft_s + (workload.output_tokens - 1) * figures.tpot_s,
              .unit = "s"});
    page.add({.name = "TTFT p90",
              .formula = "kinds of reading, and waiting as an exponential tail",
              .numbers = fmt::format("p50 {:.3g}, p95 {:.3g}, p99 {:.3g} s", figures.ttft_p50_s,
                                     figures.ttft_p95_s, figures.ttft_p99_s),
              .value = figures.ttft_p90_s,
              .unit = "s",
              .source = "estimate"});
    page.add({.name = "interactivity p90",
              .formula = "1 / P90 of (answer time / output tokens)",
              .numbers = "over the lengths of answers in the profile",
              .value = figures.interactivity_p90,
              .unit = "tokens/s/user"});
    page.add(
        {.name = "task p90",
         .formula = "P90 of the sum of a turn's calls and the tools between them",
         .numbers = fmt::format(
             "{:.1f} calls a turn (p90 {:.0f}) of {:.3g} s, {:.3g} s of tools between two",
             workload.calls_per_turn, workload.calls_per_turn_p90, figures.call_s,
             workload.tool_gap_s / situation.peak_factor),
         .value = figures.task_p90_s,
         .unit = "s",
         .source =
             "estimate: turns as they were drawn from the profile, with what so many calls wait "
             "and read taken as lognormal"});
}

void explain_money(PlanPage& page, const PlanRequest& request, const PlanOption& option) {
    page.section("Money and energy");
    if (!option.money) {
        page.note(concat("no price is known for ", option.candidate.accelerator.name,
                         "; say it with --price"));
        return;
    }
    const FleetCost& money = *option.money;
    const double count = option.accelerators();
    page.add({.name = "cost",
              .formula = "replicas x accelerators x $/h",
              .numbers = fmt::format("{} x {} x {:.2f} (market: {:.2f} to {:.2f} $/h in all)",
                                     option.replicas, option.candidate.accelerators(),
                                     price_of(option), money.per_hour_low, money.per_hour_high),
              .value = count * price_of(option),
              .unit = "$/h",
              .source = request.price_per_hour > 0 ? "as declared" : "middle of published prices"});
    page.add({.name = "cost of a month",
              .formula = "$/h x 730 h: machines are paid at night, too",
              .numbers = concat(shown(money.per_hour), " x 730"),
              .value = money.per_hour * kHoursPerMonth,
              .unit = "$/month"});
    page.add({.name = "cost of a developer",
              .formula = "month / people",
              .numbers = concat(shown(money.per_month), " / ", shown(people(request))),
              .value = money.per_month / people(request),
              .unit = "$/month"});
    page.add({.name = "cost of output",
              .formula = "month / (calls/s x output tokens x 3600 x working hours)",
              .numbers = fmt::format("{:.0f} / ({:.3g} x {:.0f} x 3600 x {:.0f})", money.per_month,
                                     option.normal.calls_per_s, request.workload.output_tokens,
                                     request.working_hours_per_month),
              .value = money.per_million_output,
              .unit = "$/M output tokens"});
    page.add({.name = "cost of all tokens",
              .formula = "the same over prompt and output tokens",
              .numbers = concat(shown(money.per_million_tokens), " $"),
              .value = money.per_million_tokens,
              .unit = "$/M tokens"});
    page.add(
        {.name = "power",
         .formula = "accelerators x watts, at most; hosts and cooling come on top",
         .numbers = fmt::format("{:.0f} x {:.0f} W", count, option.candidate.accelerator.watts),
         .value = money.kilowatts,
         .unit = "kW",
         .source = "datasheet"});
    page.add({.name = "energy of a month",
              .formula = "kW x 730 h",
              .numbers = concat(shown(money.kilowatts), " x 730"),
              .value = money.kilowatts * kHoursPerMonth,
              .unit = "kWh"});
}

PlanPage explain(const PlanRequest& request, const PlanOption& option) {
    PlanPage page;
    const Situation& plan = option.situation;
    const FleetFigures& figures = option.normal;
    explain_demand(page, plan.workload, plan.people, figures);
    explain_duty(page, plan.workload, 1 / figures.tpot_s, figures.call_s);
    explain_kv(page, plan.deployment.model, plan.deployment.kv_dtype, plan.deployment.tp,
               figures.session_tokens);
    const double ranks = plan.deployment.tp;
    const double link = plan.deployment.accelerator.scale_out_bytes_per_s * ranks;
    if (link > 0)
        explain_move(page,
                     ranks * static_cast<double>(plan.memory.kv_size.sequence_bytes(
                                 static_cast<uint64_t>(figures.session_tokens))),
                     link);
    explain_memory(page, plan.deployment, plan.memory, figures.session_tokens);
    explain_reuse(page, plan, figures);
    explain_speed(page, plan, figures);
    explain_front_door(page, request, option);
    explain_money(page, request, option);
    return page;
}

}  // namespace brigada
