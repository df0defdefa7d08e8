#include "plan/closed_form/front_door.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"

namespace brigada {

namespace {

/// docs/benchmarks.md, the slowest run of each: a streamed call of 400 KB; counting its next turn;
/// an event of a stream, from 64 events 5 ms apart.
constexpr double kCallSeconds = 314e-6;
constexpr double kCountSeconds = 196e-6;
constexpr double kEventSeconds = 1214e-6 / 64;
constexpr double kBusyAtMost = 0.5;  // of one core, so that a burst finds room

constexpr double kQueueWaitSeconds = 30;  // brigada.classes.standard.queue_wait_seconds

/// Peaks of arrivals over their mean: clients of one fleet come in bursts (ServeGen: CV 1.15).
constexpr double kBurst = 10;

double tokens_per_s(const PlanOption& option) {
    const FleetFigures& figures = option.normal;
    const double reading = std::max(1e-9, figures.read_busy);
    return figures.calls_per_s * figures.uncached_per_call / reading;
}

}  // namespace

FrontDoor our_front_door(const Workload& workload, double calls_per_s, bool is_redundant) {
    FrontDoor door;
    door.cpu_s_per_call = kCallSeconds + kCountSeconds + workload.output_tokens * kEventSeconds;
    const double cores = calls_per_s * kBurst * door.cpu_s_per_call / kBusyAtMost;
    door.replicas = std::max(is_redundant ? 2u : 1u, static_cast<uint32_t>(std::ceil(cores)));
    return door;
}

double admissions_per_s(const FrontDoor& door) {
    return door.at_once / door.cpu_s_per_call;
}

double admitted_by(const FrontDoor& door, double limit) {
    return door.shares_limits ? limit : limit * door.workers * door.replicas;
}

double database_connections(const FrontDoor& door) {
    return double(door.pool) * door.workers * door.replicas;
}

double queue_cap(double calls_per_s, double wait_s) {
    return std::max(16.0, std::ceil(calls_per_s * wait_s));
}

void explain_promises(PlanPage& page, const std::vector<TenantLimit>& tenants,
                      double tokens_per_s) {
    double promised = 0;
    std::string numbers;
    for (const TenantLimit& tenant : tenants) {
        promised += tenant.tokens_per_minute;
        numbers += concat(numbers.empty() ? "" : " + ", shown(tenant.tokens_per_minute));
    }
    page.section("Promises to tenants");
    const double able = page.add({.name = "tokens per minute the fleet can take",
                                  .formula = "tokens/s x 60",
                                  .numbers = concat(shown(tokens_per_s), " x 60"),
                                  .value = tokens_per_s * 60,
                                  .unit = "tokens/min"});
    page.add({.name = "tokens per minute promised",
              .formula = "sum of the tenants' limits",
              .numbers = numbers,
              .value = promised,
              .unit = "tokens/min"});
    page.add({.name = "overcommitment",
              .formula = "promised / able - 1; less than 0: nobody can be refused for it",
              .numbers = concat(shown(promised), " / ", shown(able), " - 1"),
              .value = promised / able - 1,
              .unit = "of what it can take"});
}

void explain_front_door(PlanPage& page, const PlanRequest& request, const PlanOption& option) {
    const Workload& workload = option.situation.workload;
    const double calls = option.normal.calls_per_s;
    const FrontDoor door = our_front_door(workload, calls, request.spare_replicas > 0);
    page.section("Front door");
    page.add({.name = "calls at the front door",
              .formula = "calls of the fleet; bursts reach ten times that",
              .numbers = concat(shown(calls), ", at the worst ", shown(calls * kBurst)),
              .value = calls,
              .unit = "calls/s"});
    const double cpu = page.add(
        {.name = "CPU of a call",
         .formula = "call of 400 KB + counting its next turn + output tokens x event",
         .numbers = fmt::format("314 us + 196 us + {:.0f} x 19 us", workload.output_tokens),
         .value = door.cpu_s_per_call * 1e3,
         .unit = "ms",
         .source = "docs/benchmarks.md, the slowest runs"});
    page.add({.name = "gateways",
              .formula = "calls/s x 10 x CPU / half a core, and one to spare where there are any",
              .numbers = concat(shown(calls), " x 10 x ", shown(cpu), " ms / 0.5"),
              .value = double(door.replicas),
              .unit = "gateways"});
    page.add({.name = "database connections",
              .formula = "pool x workers x gateways",
              .numbers = concat(door.pool, " x ", door.workers, " x ", door.replicas),
              .value = database_connections(door),
              .unit = "connections"});
    page.add({.name = "a limit of 100 without Redis",
              .formula = "each gateway keeps to its part of every limit",
              .numbers = concat("100 / ", door.replicas, " x ", door.replicas),
              .value = admitted_by(door, 100),
              .unit = "requests"});
    page.add({.name = "queue cap",
              .formula = "calls/s x the longest wait, at least 16: more would be refused anyway",
              .numbers = concat(shown(calls), " x ", kQueueWaitSeconds),
              .value = queue_cap(calls, kQueueWaitSeconds),
              .unit = "requests"});
    if (!request.tenants.empty()) explain_promises(page, request.tenants, tokens_per_s(option));
}

}  // namespace brigada
