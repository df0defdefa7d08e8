// plan_page(): a plan as one self-contained HTML file: charts and sliders in plain JavaScript and
// SVG, nothing loaded from anywhere.
#pragma once

#include <string>

#include "plan/report.h"

namespace brigada {

std::string plan_page(const PlanReport& report);

}  // namespace brigada
