// EngineFit: the few figures in which an engine on an accelerator differs from the datasheet; and
// the coefficients of StepCost that follow from them and the deployment.
#pragma once

#include <string>

#include "cost/deployment.h"
#include "cost/step_cost.h"

namespace brigada {

struct EngineFit {
    double mfu = 0.5;              // compute reached / peak
    double mbu = 0.8;              // bandwidth reached / peak
    double step_s = 0.003;         // the engine's own time per step
    double sequence_s = 0.00001;   // and per sequence in it
    double link_efficiency = 0.7;  // collectives' bandwidth / link's
    std::string source;            // "defaults", or what it was fitted to
};

StepCoefficients step_coefficients(const Deployment& deployment, const EngineFit& fit);

}  // namespace brigada
