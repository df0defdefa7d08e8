// The report on published figures: by accelerator and engine, how far off the cost model is from
// the datasheet alone and when fitted, judged on runs that the fit has not seen.
#pragma once

#include <string>
#include <vector>

#include "calibrate/published_run.h"

namespace brigada {

struct PublishedGroup {
    std::string accelerator, engine;
    size_t runs = 0;
    PublishedErrors unfitted, fitted;  // on every other run; fitted to those between
    EngineFit fit;                     // to all of them
};

/// In order of accelerator, then engine. A group of one run is judged on what it was fitted to.
std::vector<PublishedGroup> report_on(const std::vector<PublishedRun>& runs);

}  // namespace brigada
