// PlanReport: everything a plan has to say, ready to be printed as text, JSON or a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "plan/fleet.h"
#include "plan/page.h"
#include "plan/scenarios.h"
#include "plan/search.h"
#include "plan/verify.h"
#include "plan/what_if.h"

namespace brigada {

/// An hour of a working day.
struct HourOfDay {
    int hour = 0;
    double people = 0;
    double running = 0;  // share of the room for KV, by calls in flight
    double kept = 0;     // and by sessions whose people are at work
    double ttft_p90_s = 0;
};

struct PlanReport {
    PlanRequest request = {};
    SearchResult result = {};
    std::optional<PlanOption> chosen = {};
    PlanPage page = {};
    std::vector<Scenario> scenarios = {};
    Breaking breaking = {};
    std::vector<GridPoint> grid = {};
    bool grid_is_simulated = false;  // else the closed form's
    std::vector<HourOfDay> day = {};
    std::optional<Verification> verification = {};  // where one was asked for
};

/// Error::invalid_argument for a request that makes no sense; a request that nothing meets is a
/// report without a chosen option.
Result<PlanReport> make_plan(PlanRequest request);

/// "20 people with profile claude-code on qwen3-32b".
std::string asked_text(const PlanReport& report);

/// One sentence: "20 people with claude-code on Qwen3-32B: 3 replicas of ...".
std::string headline(const PlanReport& report);

Json to_json(const PlanReport& report);

}  // namespace brigada
