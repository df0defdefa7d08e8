// What brigada simulate shows to people: policies beside each other, and one run in full.
#pragma once

#include <string>
#include <vector>

#include "sim/sim_runs.h"

namespace brigada {

/// All seeds of one policy.
struct PolicyRuns {
    std::string policy;
    std::vector<SimReport> runs;
};

/// One line a policy; with several seeds, means and how far off they may be.
std::string comparison_page(const std::vector<PolicyRuns>& policies);

/// The first run of a policy: percentiles, hits by position, causes of misses, tenants and classes.
std::string run_page(const PolicyRuns& policy);

}  // namespace brigada
