#include "cli/calibrate/calibrate_parts.h"

#include <fmt/format.h>

namespace brigada {

std::string signed_percent(double share) {
    return fmt::format("{:+.1f} %", 100 * share);
}

Json to_json(const EngineFit& fit) {
    return {{"mfu", fit.mfu},
            {"mbu", fit.mbu},
            {"step_s", fit.step_s},
            {"layer_s", fit.layer_s},
            {"sequence_s", fit.sequence_s},
            {"link_efficiency", fit.link_efficiency},
            {"source", fit.source}};
}

}  // namespace brigada
