#include "calibrate/published_report.h"

#include <map>

#include "base/concat.h"
#include "cost/known_fits.h"

namespace brigada {

namespace {

using Runs = std::vector<const PublishedRun*>;

PublishedGroup report_on_group(const std::string& engine, const Runs& runs) {
    Runs halves[2];
    for (size_t i = 0; i < runs.size(); ++i)
        halves[i % 2].push_back(runs[i]);
    const Runs& judged = halves[1].empty() ? halves[0] : halves[1];
    const EngineFit start = default_fit(runs.front()->placement.accelerator, engine);

    PublishedGroup out{runs.front()->accelerator, engine, runs.size(), {}, {}, {}};
    out.unfitted = errors(judged, start);
    out.fitted = errors(judged, fit_to_published(halves[0], start));
    out.fit = fit_to_published(runs, start);
    out.fit.source = concat("fitted to ", runs.size(), " published runs of ", engine, " on ",
                            out.accelerator, "; median error on held-out ones ",
                            static_cast<int>(100 * out.fitted.all.median + 0.5), " %");
    return out;
}

}  // namespace

std::vector<PublishedGroup> report_on(const std::vector<PublishedRun>& runs) {
    std::map<std::pair<std::string, std::string>, Runs> groups;
    for (const PublishedRun& run : runs)
        groups[{run.accelerator, run.engine}].push_back(&run);
    std::vector<PublishedGroup> out;
    for (const auto& [names, members] : groups)
        out.push_back(report_on_group(names.second, members));
    return out;
}

}  // namespace brigada
