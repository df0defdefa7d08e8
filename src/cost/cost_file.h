// The cost file: coefficients of a StepCost as JSON, as `brigada calibrate` writes them and
// `simulate` and `plan` read them with --cost.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "cost/step_cost.h"

namespace brigada {

Json to_json(const StepCoefficients& coefficients);

/// The text of a cost file; what it holds besides "coefficients" is for people. A coefficient that
/// is not there is 0. Error::corrupt: no such object, a name that is not known (and those that
/// are), not a number, negative, all of them 0. `what` names the file.
Result<StepCoefficients> read_cost_file(std::string_view text, std::string_view what);

}  // namespace brigada
