// LoadReport: a run in the forms people and programs read: a page of text, JSON, one CSV row per
// call, one self-contained HTML page.
#pragma once

#include <string>

#include "base/json.h"
#include "load/figures.h"
#include "load/load_run.h"

namespace brigada {

struct LoadReport {
    // What was run, in words.
    std::string url = {}, model = {}, api = {}, workload = {}, pace = {};
    std::string started = {};  // UTC, as in "2026-11-30T08:25:00Z"
    uint64_t seed = 0;
    Duration warm_up = {};
    SloTargets targets = {};

    LoadMeasurements measured = {};
    LoadFigures figures = {};
};

std::string report_text(const LoadReport& report);

/// With a column for each measure of the window's calls, which compare_reports reads.
Json report_json(const LoadReport& report);

/// RFC 4180, with a header line; times in ms, of the warm-up too. Empty: there was none.
std::string report_csv(const LoadReport& report);

/// Charts are SVG in the page; nothing is loaded from anywhere.
std::string report_html(const LoadReport& report);

/// "finished".
std::string_view word_of(CallOutcome outcome);

}  // namespace brigada
