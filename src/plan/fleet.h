// Fleets that exist or are thought of: how many people each part carries, and what it costs. Parts
// may be of different kinds; sessions are shared out by what each part can carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "plan/scenarios.h"

namespace brigada {

struct FleetPart {
    Accelerator accelerator = {};
    uint32_t count = 0;
    double price_per_hour = 0;  // of one; 0: the catalogue's
};

struct PlanFleet {
    std::string name = {};
    std::vector<FleetPart> parts = {};
};

struct CarriedPart {
    FleetPart part = {};
    std::string layout = {};  // "2 x TP 2, KV fp8"; or why it can't run the model
    double people = 0;
    double output_tokens_per_s = 0;  // with so many people
    double dollars_per_hour = 0;
};

struct CarriedFleet {
    PlanFleet fleet = {};
    std::vector<CarriedPart> parts = {};
    double people = 0;
    double output_tokens_per_s = 0;
    double dollars_per_hour = 0;
};

Json to_json(const CarriedFleet& fleet);

/// "4 x RTX 4090 @ 0.30 + 2 x H100 SXM 80GB". Error::invalid_argument shows how it is written.
Result<PlanFleet> parse_fleet(std::string_view text);

/// Each part in the layout in which it carries most people within the targets.
CarriedFleet carried_by(const PlanRequest& request, const PlanFleet& fleet);

}  // namespace brigada
