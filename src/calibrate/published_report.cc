#include "calibrate/published_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/concat.h"
#include "cost/known_fits.h"

namespace brigada {

namespace {

using Runs = std::vector<const PublishedRun*>;

ErrorSummary summary(std::vector<double> errors) {
    if (errors.empty()) return {};
    std::ranges::sort(errors);
    const auto at = [&](double share) {
        return errors[static_cast<size_t>(share * static_cast<double>(errors.size() - 1))];
    };
    return {errors.size(), at(0.5), at(0.9)};
}

PublishedErrors errors_of(const std::vector<JudgedRun>& runs, UniformResult JudgedRun::* result) {
    std::vector<double> ttft, tpot, throughput, all;
    for (const JudgedRun& judged : runs) {
        const UniformResult& predicted = judged.*result;
        const auto note = [&](std::vector<double>& list, double ours, double published) {
            if (published <= 0) return;
            list.push_back(std::abs(ours / published - 1));
            all.push_back(list.back());
        };
        note(ttft, predicted.ttft_s, judged.run->ttft_s);
        note(tpot, predicted.tpot_s, judged.run->tpot_s);
        note(throughput, predicted.output_tok_s, judged.run->output_tok_s);
    }
    return {summary(ttft), summary(tpot), summary(throughput), summary(all)};
}

PublishedGroup report_on_group(const std::string& engine, const Runs& runs) {
    Runs halves[2];
    for (size_t i = 0; i < runs.size(); ++i)
        halves[i % 2].push_back(runs[i]);
    const EngineFit start = default_fit(runs.front()->placement.accelerator, engine);
    const EngineFit seen_by_other[2] = {
        fit_to_published(halves[1].empty() ? halves[0] : halves[1], start),
        fit_to_published(halves[0], start)};

    PublishedGroup out{runs.front()->accelerator, engine, {}, {}, {}, {}};
    for (size_t i = 0; i < runs.size(); ++i)
        out.runs.push_back(
            {runs[i], predict(*runs[i], start), predict(*runs[i], seen_by_other[i % 2])});
    out.unfitted = errors_of(out.runs, &JudgedRun::unfitted);
    out.fitted = errors_of(out.runs, &JudgedRun::fitted);
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
