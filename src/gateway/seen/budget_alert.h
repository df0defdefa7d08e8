// Budget alerts: what a webhook is told of a budget, with its holder's names as the directory has
// them.
#pragma once

#include "admit/budgets.h"
#include "gateway/directory/directory.h"
#include "gateway/seen/alert.h"

namespace brigada {

/// Without id and time.
Alert threshold_alert(const ThresholdCrossing& crossed, const Directory& directory);
Alert exhausted_alert(const BudgetRefusal& refused, const Directory& directory);

}  // namespace brigada
