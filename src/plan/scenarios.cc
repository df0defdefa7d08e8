#include "plan/scenarios.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"
#include "plan/closed_form/answer_time.h"
#include "plan/closed_form/solve.h"

namespace brigada {

namespace {

/// One replica reads all contexts of `sessions` anew.
double read_again_s(const Situation& situation, double sessions) {
    const Workload& workload = situation.workload;
    const double one = read_prompt(situation.cost, 0, 0, workload.prompt_tokens,
                                   workload.prompt_tokens - workload.shared_tokens,
                                   situation.deployment.step_tokens);
    return sessions * one / situation.replicas;
}

class Judge {
  public:
    Judge(const PlanRequest& request, const PlanOption& option)
        : request_(request), plan_(option) {}

    void add(std::string name, std::string what, const Situation& changed, double recovery_s = 0) {
        Scenario out{.name = std::move(name), .what = std::move(what)};
        out.figures = solve(changed);
        out.prefill = out.figures.uncached_per_call / std::max(1.0, plan_.normal.uncached_per_call);
        out.recovery_s = recovery_s;
        out.misses = misses(request_.targets, out.figures);
        all_.push_back(std::move(out));
    }

    std::vector<Scenario> all() && { return std::move(all_); }

  private:
    const PlanRequest& request_;
    const PlanOption& plan_;
    std::vector<Scenario> all_;
};

Situation without_affinity(Situation situation) {
    situation.affinity = false;
    return situation;
}

/// Every turn begins with another model: only calls within a turn find their prefix.
Situation switching_models(Situation situation) {
    situation.found_share = 1 - 1 / situation.workload.calls_per_turn;
    return situation;
}

Situation mutated(Situation situation) {
    situation.found_share = 0;
    return situation;
}

Situation without_one(Situation situation) {
    situation.replicas = std::max(1u, situation.replicas - 1);
    return situation;
}

Situation twice_the_peak(Situation situation) {
    situation.peak_factor *= 2;
    return situation;
}

Situation failing_agents(Situation situation) {
    Workload& workload = situation.workload;
    workload.prompt_tokens *= 1.8;
    workload.context_p90 *= 1.8;
    return situation;
}

bool breaks(const PlanRequest& request, const FleetFigures& figures) {
    return figures.saturated || !misses(request.targets, figures).empty();
}

FleetFigures with_people(Situation situation, double people) {
    situation.people = people;
    return solve(situation);
}

std::string first_to_break(const PlanRequest& request, const FleetFigures& figures) {
    const std::vector<MissedTarget> all = misses(request.targets, figures);
    if (figures.kv_use > 0.99) return "room for KV";
    if (figures.read_busy > 0.95) return "reading prompts";
    if (all.empty()) return "speed";
    return std::ranges::max_element(all, {}, &MissedTarget::factor)->target;
}

}  // namespace

std::vector<Scenario> scenarios_of(const PlanRequest& request, const PlanOption& option) {
    const Situation& plan = option.situation;
    const double sessions = option.normal.sequences;
    Judge judge(request, option);
    judge.add("as planned", "all replicas answer", plan);
    judge.add("affinity off", "calls go to any replica, wherever their KV is",
              without_affinity(plan));
    judge.add("model switched", "each turn begins with another model, which has read nothing",
              switching_models(plan), read_again_s(plan, sessions));
    judge.add("prefix mutated", "a timestamp in the system prompt: nothing is ever found",
              mutated(plan));
    if (plan.replicas > 1) {
        const Situation left = without_one(plan);
        judge.add("replica lost", "its sessions are read again by the others", left,
                  read_again_s(left, sessions / plan.replicas));
    }
    judge.add("peak x 2", "everybody asks twice as often", twice_the_peak(plan));
    judge.add("failing agents", "they try again and again: contexts 1.8 times as long",
              failing_agents(plan));
    return std::move(judge).all();
}

Breaking breaking_point(const PlanRequest& request, const PlanOption& option) {
    const Situation& plan = option.situation;
    double holds = 0, fails = plan.people;
    while (!breaks(request, with_people(plan, fails)) && fails < 1e9) {
        holds = fails;
        fails *= 2;
    }
    while (fails - holds > std::max(0.5, 0.005 * fails)) {
        const double middle = std::midpoint(holds, fails);
        (breaks(request, with_people(plan, middle)) ? fails : holds) = middle;
    }
    return {.people = std::floor(holds),
            .first = first_to_break(request, with_people(plan, fails))};
}

}  // namespace brigada
