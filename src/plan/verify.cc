#include "plan/verify.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "plan/emit/engine_flags.h"
#include "trace/generator.h"

namespace brigada {

namespace {

constexpr uint32_t kManyWaiting = 100'000;
constexpr double kMostTimes = 8;
constexpr Duration kTime = Duration::seconds(2 * 3600);

/// Simulations of one plan with different numbers of people.
class Trial {
  public:
    Trial(const PlanRequest& request, const PlanOption& option, uint64_t seed)
        : request_(request),
          option_(option),
          profile_(people_at_peak(request, option)),
          setup_(sim_setup_of(option, seed)) {}

    Result<SimulatedLoad> run(double people) const {
        TRY(const Trace trace, calls_of(profile_, option_, people, kTime, setup_.seed));
        TRY(SimReport report, simulate(trace, setup_));
        SimulatedLoad out{.people = people, .report = std::move(report)};
        out.misses = misses(request_.targets, figures_of(out.report));
        std::ranges::sort(out.misses, std::greater(), &MissedTarget::factor);
        return out;
    }

  private:
    const PlanRequest& request_;
    const PlanOption& option_;
    Profile profile_;
    SimSetup setup_;
};

/// Twice as many until the targets are missed, then between the two.
double next_people(double holds, double fails, double most) {
    if (fails > most) return std::min(2 * holds, most);
    return std::floor(std::midpoint(holds, fails));
}

bool is_near_enough(double holds, double fails) {
    return fails - holds <= std::max(1.0, 0.1 * holds);
}

Json to_json(const SimulatedLoad& load) {
    Json missed = Json::array();
    for (const MissedTarget& miss : load.misses)
        missed.push_back({{"target", miss.target}, {"wanted", miss.wanted}, {"got", miss.got}});
    Json out = to_json(load.report);
    out["people"] = load.people;
    out["misses"] = std::move(missed);
    return out;
}

/// Of all accelerators of a replica.
SimTiers tiers_of(const Situation& plan) {
    const double accelerators = plan.deployment.accelerators();
    return {.ram_bytes = static_cast<uint64_t>(plan.tiers.ram_bytes * accelerators),
            .disk_bytes = static_cast<uint64_t>(plan.tiers.disk_bytes * accelerators),
            .ram_bytes_per_s = plan.tiers.ram_bytes_per_s * accelerators,
            .disk_bytes_per_s = plan.tiers.disk_bytes_per_s * accelerators};
}

}  // namespace

SimSetup sim_setup_of(const PlanOption& option, uint64_t seed) {
    const Situation& plan = option.situation;
    SimReplica replica;
    replica.name = name_of(option.candidate);
    replica.count = option.replicas;
    replica.cost = plan.cost;
    replica.scheduler.step_tokens = plan.deployment.step_tokens;
    replica.scheduler.long_prefill_threshold = plan.deployment.step_tokens;
    replica.scheduler.max_running = std::min(max_sequences(option), plan.deployment.step_tokens);
    replica.scheduler.max_context =
        static_cast<uint32_t>(plan.workload.context_max + plan.workload.outputs.back().value);
    replica.scheduler.max_waiting = kManyWaiting;
    replica.scheduler.max_waiting_tokens = uint64_t{kManyWaiting} * replica.scheduler.max_context;
    replica.kv_tokens = plan.memory.kv_tokens;
    replica.kv_bytes_per_token =
        static_cast<double>(plan.memory.kv_size.per_token) * plan.deployment.tp;
    replica.tiers = tiers_of(plan);
    if (option.money) replica.dollars_per_hour = option.money->per_hour / option.replicas;
    SimSetup setup;
    setup.replicas = {std::move(replica)};
    setup.warm_up = kSimulatedWarmUp;
    setup.seed = seed;
    return setup;
}

Profile people_at_peak(const PlanRequest& request, const PlanOption& option) {
    Profile people =
        at_work(request.profile, static_cast<uint32_t>(option.situation.workload.context_max));
    hurry(people, request.peak_factor);
    return people;
}

Result<Trace> calls_of(const Profile& profile, const PlanOption& option, double people,
                       Duration duration, uint64_t seed) {
    return generate(profile, {.users = static_cast<uint32_t>(std::max(1.0, std::round(people))),
                              .duration = duration,
                              .ttft = Duration::from_seconds(option.normal.ttft_s),
                              .per_token = Duration::from_seconds(option.normal.tpot_s),
                              .seed = seed});
}

FleetFigures figures_of(const SimReport& report) {
    FleetFigures figures;
    figures.ttft_p90_s = report.ttft_s.p90;
    figures.tpot_s = report.tpot_s.mean;
    figures.interactivity_p90 =
        report.seconds_per_token.p90 > 0 ? 1 / report.seconds_per_token.p90 : 0;
    figures.task_p90_s = report.turn_s.p90;
    figures.hit_rate = report.hit_rate;
    return figures;
}

Result<Verification> verify(const PlanRequest& request, const PlanOption& option, uint64_t seed) {
    const Trial trial(request, option, seed);
    const double planned = option.situation.people;
    const double most = kMostTimes * planned;
    Verification out;
    TRY(out.planned, trial.run(planned));
    double holds = 0, fails = most + 1;
    for (SimulatedLoad tried = out.planned;;) {
        if (tried.misses.empty()) {
            holds = tried.people;
        } else {
            fails = tried.people;
            out.first = tried.misses.front().target;
        }
        out.tried.push_back(std::move(tried));
        if (holds >= most || is_near_enough(holds, fails)) break;
        TRY(tried, trial.run(next_people(holds, fails, most)));
    }
    out.people = holds;
    std::ranges::sort(out.tried, {}, &SimulatedLoad::people);
    return out;
}

Json to_json(const Verification& verification) {
    Json tried = Json::array();
    for (const SimulatedLoad& load : verification.tried)
        tried.push_back(to_json(load));
    return {{"simulated", to_json(verification.planned)},
            {"carries_people", verification.people},
            {"first_to_give_way", verification.first},
            {"tried", std::move(tried)}};
}

}  // namespace brigada
