// Comparing two runs: how much of each figure changed, and how sure one can be of it: intervals
// from drawing the sessions of both again and again (bootstrap), as calls of one session are alike.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "load/figures.h"

namespace brigada {

/// One figure of both runs. `low` and `high` hold 95 of 100 redraws of `b / a - 1`; nothing is
/// sure where 0 lies between them.
struct ComparedFigure {
    std::string name;  // "ttft_ms p90"
    double a = 0, b = 0;
    double change = 0;  // b / a - 1
    double low = 0, high = 0;
    bool has_interval = false;  // where both runs have two sessions at least
    bool sure() const { return has_interval && (low > 0 || high < 0); }
};

struct LoadComparison {
    std::string a, b;  // what each was, in words
    uint64_t a_sessions = 0, b_sessions = 0;
    uint32_t redraws = 0;
    std::vector<ComparedFigure> figures;
    std::string caution;  // why the two may not be comparable; "": nothing was seen
};

/// Of two report_json(). Error::invalid_argument names what is missing in which.
Result<LoadComparison> compare_reports(const Json& a, const Json& b, uint64_t seed,
                                       uint32_t redraws = 1'000);

std::string comparison_text(const LoadComparison& comparison);
Json comparison_json(const LoadComparison& comparison);

}  // namespace brigada
